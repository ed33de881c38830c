#!/bin/sh
# scp FILE root@ADDRESS:FOLDER: stands for scp. The file goes below the folder that stands for that host's root.
set -eu
file=$(realpath "$1") address=${2#root@}
folder="$SITE/${address%%:*}${address#*:}"
copy="$folder/$(basename "$1")"
test -d "$folder"
ln -f "$file" "$copy" 2>/dev/null || cp "$file" "$copy"
