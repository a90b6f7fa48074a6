"""A set of people and look-alikes written by hand after the rules, measured once before anything was mended by it.

What stands between `[[` and `]]` is the value that nobody may read afterwards. See also people_grammar.py.
"""

from __future__ import annotations

PEOPLE = r"""
home folder: $ tree ~[[svenja]]/projects -L 1
home folder: rsync: change_dir "/home/[[ilse]]/x" failed
home folder: mkdir -p ~[[pavel.s]]/tmp/cache
home folder: tar xzf dist.tgz -C ~[[nkem]]/opt
home folder: -- copied ~[[svenja]]/.vimrc to the container
home folder: > cd ~[[rosa-b]]/
home folder: INCLUDE ~[[pavel]]/conf.d/x.conf
home folder: You have new mail in /var/spool/mail/[[svenja]]
home folder: C:\Users\[[Svenja]]\AppData> dir
home folder: chmod 700 ~[[rosa]]/.ssh
user name: USER=[[svenja]]
user name: XDG_SESSION_ID=3 USER=[[nkem]] LANG=en_US.UTF-8
user name: "LOGNAME":"[[tvdberg]]",
user name: export LOGNAME='[[ilse.w]]'
user name: USERNAME=[[Pavel Sedlak]]
user name:   USERNAME: [[psedlak]]
user name: { "env": { "USER": "[[rosa]]", "HOME": "/root" } }
user name: process.env.USER = "[[nkem]]"
user name: + export USER=[[svenja]]
user name: SUDO_USER=[[h.nakamura]]
user name: -rw-r--r--  1 [[svenja]]  staff   1,204 Nov  3 08:15 setup.cfg
user name: drwx------. 3 [[nkem]] [[nkem]] 4.0K Feb 11  2024 .ssh
user name: -rwxr-xr-x+ 1 CORP\[[psedlak]] Domain Users 88 Mar  2 12:00 a.exe
user name: lrwxr-xr-x 1 [[ilse]] wheel 11 3 Okt 09:12 tmp -> private/tmp
user name: crw--w---- 1 [[svenja]] tty 136, 2 Jun  1 10:10 /dev/pts/2
user name: prw-rw-r-- 1 [[rosa]] rosa 0 Jun 1 10:10 pipe
user name: .rw-r--r-- 1.2k [[nkem]] 12 Mar 09:30 main.rs
user name: drwxr-xr-x [[svenja]] staff 4.0 KB Tue Mar 12 09:30:11 2024 src
user name: -rw-r--r-- [[ilse]]/users 5120 2024-03-12 09:30 a.tar
user name: -rw------- 1 [[tvdberg]] 501 20 Jan 1 2023 id_rsa
user name: Access: (0755/drwxr-xr-x)  Uid: ( 1000/[[svenja]])   Gid: ( 1000/[[svenja]])
user name: [[nkem]]     48213  99.8  2.1 408976512 351232 s003  R+   10:01AM   3:12.44 node x
user name: [[rosa]]      1412  0.0  0.3  12345  6789 tty1     Ss+  Mar02   0:00 -bash
user name: [[ilse]]  2211  2200  0 Mar02 pts/4    00:00:03 vim
user name:   501 [[svenja]]   20   0   12.1g 512m 40m S  3.0  1.1   0:10.11 node
user name: [[nkem]]   tty2         2024-03-02 08:00 (:0)
user name: [[svenja]]  console  Mar  2 08:01
user name: node    4411 [[rosa]]   22u  IPv4 0xabc      0t0  TCP *:3000 (LISTEN)
user name: uid=501([[svenja]]) gid=20(staff) groups=20(staff),12(everyone)
user name: [[psedlak]]:x:1004:1004::/home/psedlak:/bin/zsh
user name: > whoami
user name: ~/src $ whoami\n[[ilse]]
user name: PS> $env:USERNAME\nUSERNAME=[[nkem]]
user and host: [[svenja]]@svenjas-mbp api % npm t
user and host: [[nkem]]@devbox:~/api$ npm t
user and host: [[rosa]]@devbox:~/api (feat/x) $ npm t
user and host: [[[ilse]]@node17 api]$ srun hostname
user and host: (base) [[psedlak]]@gpu-03:/scratch$ nvidia-smi
user and host: [[h.nakamura]]@fedora:~#
user and host: [[svenja]]@MacBookPro ~ % brew -v
user and host: [[nkem]]@penguin:~$
user and host: ╭─[[rosa]]@archbox ~/src ‹main›
user and host: ┌──([[ilse]]㉿kali)-[~]
user and host: [[tvdberg]]@DESKTOP-4F7K2LM MINGW64 ~/src (main)
user and host: [[svenja]] ➜ /workspaces/api (main) $ ls
user and host: ➜  [[nkem]]@devbox ~ git:(main)
user and host: [[rosa]]@devbox:/mnt/c/src$ explorer.exe .
user and host: $ ssh -i key.pem [[ilse]]@bastion
user and host: [[psedlak]]@devbox> show interfaces
e-mail address: svenja.holt [at] [[kupferberg]] [dot] de
e-mail address: nkem(at)[[lagosdata]].africa
e-mail address: [[rosa.b]]@kupferberg.de wrote:
e-mail address: rosa <at> [[kupferberg]] <dot> de
e-mail address: mail ilse AT [[kupferberg]] DOT de
e-mail address: pavel (at) [[brno-tech]] (dot) cz
e-mail address: "author": "Ilse W <[[ilse]]@kupferberg.de> (https://kupferberg.de)"
name of a person: Author: [[Svenja Holt]] <svenja@kupferberg.de>
name of a person: Co-Authored-By: [[Nkem Obi]] <nkem@lagosdata.africa>
name of a person: Signed-off-by: [[José García]] <jose@brno-tech.cz>
name of a person: From: "[[Holt, Svenja]]" <svenja@kupferberg.de>
name of a person: committer [[Pavel Sedlák]] <pavel@brno-tech.cz> 1712345678 +0200
name of a person: Tested-by: [[李 雷]] <lei@brno-tech.cz>
name of a person: Cc: [[R. Blum]] <rosa@kupferberg.de>
phone number: Phone: [[+49 351 4956610]]
phone number: [[+43 660 1234987]] (mobile)
phone number: ring [[+1 646-824-7719]] after six
phone number: "tel": "[[+16468247719]]"
phone number: [[+1 (646) 824 7719]]
phone number: WhatsApp [[+234 803 412 7719]]
phone number: fax [[+41 44 668 18 00]]
phone number: [[+358 40 5512345]]
phone number: tel:[[+44-20-7183-8750]]
phone number: [[+44 (0)20 7183 8750]]
phone number: [[+7 (495) 739-70-00]]
phone number: Tel [[+972-3-684-2611]]
bank account: IBAN [[DE02 1203 0000 0000 2020 51]]
bank account: iban=[[FR1420041010050500013M02606]]
bank account: to account [[BE68 5390 0754 7034]], ref 7
bank account: ([[NL91 ABNA 0417 1643 00]])
bank account: [[CH93-0076-2011-6238-5295-7]]
payment card: [[4929 1421 5674 9921]] exp 09/28
payment card: number: [[5425-2334-3010-9903]]
payment card: {"card": {"number": "[[4916338506082832]]"}}
payment card: amex [[3759 876543 21004]]
payment card: PAN=[[6011514433546201]]
payment card: creditCard: '[[4929142156749921]]'
"""

LOOK_ALIKES = r"""
git checkout HEAD~3 -- src
"lodash": "~4.17.21"
flags &= ~FLAG_DIRTY
mask = ~np.isnan(values)
took ~12s, ~3x faster, ~half of it
@import "~bootstrap/scss/bootstrap";
import x from '~components/Button'
a ~ b { color: red }
Rate ~requests/second
sort ~/.bashrc ~/notes/a.md
user: root
USER nobody
ENV USER=app
USER=${USER:-nobody}
user = User.objects.get(pk=1)
USER = get_user_model()
USERNAME_FIELD = "email"
"user": "assistant-role"
{"role": "user", "name": "x"}
export const SET_USER = 'SET_USER'
AUTH_USER_MODEL = 'accounts.User'
total 24
drwxr-xr-x 1 root root 4096 Jan 3 10:00 .
-rw-r--r-- 1 runner docker 12 Jan 3 10:00 a
-rw-r--r-- 1 1000 1000 12 Jan 3 10:00 a
-rw-r--r-- root/root 5120 2024-03-12 09:30 a.tar
-rw-r--r-- means that others may read
mode -rw-r--r-- and 0644 are the same
root 1 0.0 0.1 169316 11200 ? Ss 10:00 0:01 /sbin/init
www-data 33 0.0 0.1 169316 11200 ? S 10:00 0:01 nginx: worker
accuracy 12 0.5 0.7 100 200 rows
bench 1200 10.5 11.2 400 500 ok
_spotlight:*:89:89:Spotlight:/var/empty:/usr/bin/false
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
Uid: (    0/    root)   Gid: (    0/    root)
uid=0(root) gid=0(root) groups=0(root)
root@7c9e1f:/workspace# pytest
vscode ➜ /workspaces/api (main) $ ls
ubuntu@ip:~$
node@20 is deprecated
react@next is out, vue@latest too
pnpm add -D @types/node@20
@app.route("/x")
@Override public void run() {}
C = A @ B.T
x@y = z
foo@bar
# of people: 5 % of them
user in list in ~all cases
git log origin/main..HEAD@{1}
see [at] the end [dot]
f(at) + g(dot)
data[at].value
meet me at noon dot com bubble
commits at main dot
port +49 offset
+1 -1
+120 -30 src/a.ts
+12,345,678 rows
delta +0.123456789
@@ -120,7 +120,9 @@
UTC+02:00 and +0530
1e+1234567890
x +1234567 -7654321
range +2147483647
+100 200 300 400 500
ISBN 978-3-16-148410-0
1712345678901
order 4929142156749921
trace 4916338506082832 in span 5425233430109903
card_id: 4929142156749921
discard 5425233430109903 bytes
2024 2023 2022 2021
4096 8192 1024 2048
0x4929142156749921
4929-1421-5674-9921-1234
4111 1111 1111 1111
4242 4242 4242 4242
5555-5555-5555-4444
DE00 1203 0000 0000 2020 51
GB82WEST12345698765433
US12ABCD34567890EFGH
SHA256:AB12CD34EF56AB78CD90
LICENSE-AB12-CD34-EF56-GH78
AT20 RETURN CODE
Author: GitHub <noreply@github.com>
Author: Bot <bot@example.com>
Author: Test User <test@example.com>
From: python:3.12-slim
From node 18 to node 20
reviewed-by: nobody
10:20:30:40 frame
aspect 16:9:1
pts/0 is a terminal
tty1 login
in a in b
whoami prints the user
The USERNAME variable is required
LOGNAME and USER are set by login
std::uid=1
id=5(main)
task:x:12:34:rest
a:b:1000:2000:c
~user
~username/x
/home/user/x
C:\Users\Public\x
D--- r w x
drwxrwxrwx
"""
