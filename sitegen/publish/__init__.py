"""Publishes a finished site as one step. Nothing else writes to the output folder.

What a build promises, and how this package keeps it:

*All or nothing.* Files are written to a staging folder beside the output, on the same file system, and the
names of the two folders are exchanged in one system call, so a reader finds the old site or the new one.
Where the system cannot do that, two renames do it, with a moment in which no site is there, and the build says so.
An output that cannot be renamed, such as a mount point, is refused.

*Nothing of others is lost.* The manifest `.sitegen.json`, published with the site, lists what we wrote. A
file is deleted when the manifest lists it and it still has the size and digest listed there, or when the
published site holds the very same file or bytes under the same name. Anything else in the output is carried
into the new site (by a hard link, so it stays the same file; by a copy where links are not possible) and
listed. Where a page would replace such a file the build stops and names it. What nobody can prove to be ours
is left where it is, and reported.

*Two builds of one output wait for each other.* The lock is held on a file beside the output, because the
output itself changes its identity, and the kernel releases it however the process ends.

*A crash needs no care.* Cleaning up after a failure, after success and after the crash of an earlier build is
one function, `_settle`, that acts on what it finds. The staging folder is a container with a marker. From the
moment in which it may hold somebody's old site it also has a journal, and from then on nothing in it is deleted
without proof.

*A forged staging folder does no harm.* It may come with a repository or an archive. So it is taken for ours only where
it is a folder of this user with mode 0700 and holds no link in the place of one of its parts; else it is listed, and
left. Even so it gets no more than what lies in it: no link is followed, no path of a manifest leads out of the output,
and an old site gets its name back only if the journal has its inode.

Decisions that are not obvious:

- A manifest that is damaged, or of another version, proves nothing, and nothing is deleted on its word:
  everything in the folder counts as foreign. Refusing the folder would make one flipped bit a reason to
  rebuild a site by hand, and trusting what can still be read of it would delete on bad evidence. Since a page
  may always take the place of a file with the same bytes, an unchanged site is published again and has a good
  manifest afterwards; a changed one stops at the first page that differs, with a sentence that says why.
- A file that was found unchanged is not read again before it is removed: within one build its inode, size and
  times stand for its bytes. Between two builds nothing but the bytes counts.
- Nothing is flushed to the disk (`fsync`): the promise covers a process that dies at any moment, not a
  machine that loses power. Flushing each file would take longer than rendering it.
- An output that holds a mounted file system is refused: removing the old tree would empty it.
- A program that has the old folder open, or as its working folder, keeps the old folder, which is then
  emptied. A web server must be given the path of the site instead of being started inside it.
- The folder that holds the output must be writable, for the lock and the staging folder.

`publication` is the one argument of what may be deleted, and when; the other modules are what it stands on.
"""

from sitegen.publish.manifest import Content
from sitegen.publish.one_file import OneFile
from sitegen.publish.publication import Publication, Published

__all__ = ["Content", "OneFile", "Publication", "Published"]
