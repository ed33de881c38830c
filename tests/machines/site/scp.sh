#!/bin/sh
# scp FILE root@ADDRESS:FOLDER: stands for scp. The file goes below the folder that stands for that host's root.
set -eu
file=$(realpath "$1") address=${2#root@}
folder="$SITE/${address%%:*}${address#*:}"
test -d "$folder"
ln -f "$file" "$folder" 2>/dev/null || cp "$file" "$folder"
