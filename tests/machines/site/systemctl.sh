#!/bin/sh
# systemctl VERB [--now] [UNIT]: stands for systemctl, as far as our units and our guide use it.
set -eu

value() { sed -n "s/^$1=//p" "$file"; }
alive() { [ -s "$pid_file" ] && grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$(cat "$pid_file")/status" 2>/dev/null; }

start() {
  user=$(value User)
  install -d -o "$user" -g "$user" -m "$(value StateDirectoryMode)" "/var/lib/$(value StateDirectory)"
  # No word of the line is quoted in a unit of ours, so the shell divides it as systemd would.
  setsid setpriv --reuid="$user" --regid="$user" --init-groups $(value ExecStart) </dev/null >>"/var/log/$unit.log" 2>&1 &
  echo $! >"$pid_file"
}

# As KillMode=process has it: what else there may be goes on.
stop() {
  kill -TERM "$(cat "$pid_file")"
  while alive; do sleep 0.05; done
}

verb=$1
[ "$verb" != daemon-reload ] || exit 0
shift
[ "$1" != --now ] || shift
unit=$1 file=/etc/systemd/system/$1.service pid_file=/var/log/$1.pid
test -r "$file"
case $verb in
  enable | start) alive || start ;;
  stop) stop ;;
  restart) stop && start ;;
  *) echo "systemctl $verb is not what the guide used so far" >&2; exit 1 ;;
esac
