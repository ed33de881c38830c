# boot NAME SITE ROOT FOLDER…: the first process of a host. What it changes is seen by no other.
name=$1 site=$2 root=$3
shift 3
mount --make-rprivate /
mount --bind "$site/srv" /srv
for folder in "$@"; do mount --bind "$root/$folder" "/$folder"; done
hostname "$name"
echo up
exec cat # until the test ends, however it ends
