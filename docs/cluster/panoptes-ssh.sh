#!/bin/sh
# A search on the machines of a hosts file, by ssh. The program and the model are at the same place on each of them.
# Usage: panoptes-ssh.sh HOSTS MODEL [OPTIONS of panoptes check]
set -eu
hosts=$1
shift
# A word as the shell of another machine reads it back.
quoted() {
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
command="cd $(quoted "$PWD") && exec panoptes check --hosts $(quoted "$hosts")"
for word in "$@"; do
    command="$command $(quoted "$word")"
done
process=0
first=
for address in $(sed 's/#.*//' "$hosts"); do
    if [ "$process" -eq 0 ]; then
        first=${address%:*}
    else
        # The terminal (-tt) hands a signal on: when this script ends, so do they.
        ssh -tt "${address%:*}" "$command --process $process" < /dev/null > "process-$process.log" 2>&1 &
    fi
    process=$((process + 1))
done
status=0
ssh "$first" "$command --process 0" || status=$?
wait
exit "$status"
