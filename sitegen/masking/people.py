"""What the rules for people share: the kinds of what they find, and the names that nobody has."""

from __future__ import annotations

import re
from dataclasses import dataclass

E_MAIL, USER_AT_HOST, HOST, SHARE = "e-mail address", "user and host", "host name", "shared folder"
HOME, USER, NAME = "home folder", "user name", "name of a person"
PHONE, IBAN, CARD = "phone number", "bank account", "payment card"
IP_ADDRESS, MAC_ADDRESS = "ip address", "mac address"
KINDS = (E_MAIL, USER_AT_HOST, HOST, SHARE, HOME, USER, NAME, PHONE, IBAN, CARD)
"""What is looked for unless the settings switch it off."""
OPTIONAL = (IP_ADDRESS, MAC_ADDRESS)
"""What is looked for only where the settings switch it on."""


@dataclass(frozen=True, slots=True)
class Person:
    """Where somebody is named, or a machine."""

    start: int
    end: int
    kind: str


def is_nobody(name: str) -> bool:
    """Whether a user of this name is a system's, a program's or a placeholder, and no person."""
    name = name.lower()
    return name in _NOBODY or bool(_NOBODY_ELSE.match(name))


def is_account(name: str) -> bool:
    """Whether a system, one of its packages or an image has an account of this name."""
    return name.lower() in _OF_SYSTEMS


_ACCOUNTS = """
root toor daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody nogroup operator
adm tty disk kmem dialout fax voice cdrom floppy tape sudo audio dip src shadow utmp video sasl plugdev staff wheel
users input kvm render sgx crontab netdev ssl-cert messagebus syslog uuidd tcpdump sshd landscape pollinate lxd tss
rtkit avahi avahi-autoipd colord dnsmasq geoclue gdm lightdm pulse saned speech-dispatcher usbmux whoopsie kernoops
polkitd chrony ntp statd rpc rpcuser nfsnobody halt shutdown ftp http https nginx apache apache2 httpd caddy
haproxy squid bind named unbound postfix dovecot exim smmsp mailman ldap openldap snmp zabbix nagios munin
prometheus grafana loki telegraf influxdb elasticsearch logstash kibana opensearch splunk datadog consul vault nomad
etcd kube docker dockremap containerd podman buildkit postgres postgresql pgsql mysql mariadb mssql mongodb mongod
mongo redis memcache memcached rabbitmq kafka zookeeper cassandra clickhouse neo4j couchdb minio hdfs
hadoop yarn hive spark flink airflow jupyter jovyan rstudio shiny conda mambauser anaconda node npm yarn pnpm deno bun
python python3 rails php java tomcat jetty jboss wildfly gradle maven go golang rust cargo dotnet app apps
application web webapp worker server service services svc api client deploy deployer deployment ansible puppet chef
salt vagrant packer terraform jenkins hudson teamcity bamboo gocd drone circleci travis buildkite buildbot
builder build builds ci cd runner runneradmin runners actions action github gitlab gitlab-runner gitpod gitea gogs
git svn hg bitbucket codespace codespaces vscode coder devcontainer dev devuser developer developers ubuntu debian
centos fedora rhel redhat rocky almalinux arch alpine opensuse suse amazon amzn ec2-user azureuser opc core
coreos flatcar bitnami cloud-user cloudsdk google pi kali parrot steam deck odoo wordpress drupal ghost sonar
sonarqube nexus artifactory agent agents bot robot assistant model claude codex gemini copilot cursor aider openhands
sandbox sandboxuser playwright pwuser chrome chromium firefox selenium seluser puppeteer oracle informix db2inst1
linuxbrew homebrew nix nixbld swtpm libvirt qemu libvirt-qemu systemd system localsystem administrator administrators
localservice networkservice trustedinstaller everyone guest guests default defaultuser wdagutilityaccount public
shared vmuser containeruser containeradministrator condor slurm munge sge torque lsadm sddm greeter
"""
"""Accounts of systems, of their packages and of images."""
_PLACEHOLDERS = """
users username user_name user-name your-email youremail your-name your-username yourname yourusername your_username
your_user youruser email name names someone somebody anybody anyone me my myself myname myuser mine you your they
owner group groups test tests tester testing testuser test-user test_user example sample demo dummy fake foo bar baz
qux foobar placeholder changeme anonymous anon unknown none null nil undefined true false yes no on off string str
int text any all other others member members customer customers human humans ai llm role roles login logins account
accounts profile profiles value key id uid gid pid primary current required optional missing empty unset set get new
self this
"""
_MAILBOXES = """
git noreply no-reply donotreply do-not-reply notifications support info hello contact security admin postmaster
webmaster abuse help sales team this self user username you your-email youremail email name someone somebody
"""
MAILBOXES = frozenset(_MAILBOXES.split())
"""Mailboxes that are nobody's in any domain."""
_OF_SYSTEMS = frozenset(_ACCOUNTS.split())
_NOBODY = frozenset(f"{_ACCOUNTS} {_PLACEHOLDERS} {_MAILBOXES}".split())
_NOBODY_ELSE = re.compile(
    r"_|systemd-|nixbld\d|.*[-_.](?:users?|usr|admin|daemon|service|svc|agent|bot|runner|builder)\d{0,3}$"
    r"|(?:app|test|db|my|web|api|some|super|power|local|remote|ci|ssh|ftp)[-_.]?(?:user|usr|admin)\d{0,3}$"
    r"|(?:user|test|guest|runner|root|admin|node|worker|app|www)[-_.]?\d{1,4}$|\d+$"
)
