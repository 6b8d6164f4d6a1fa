# Runs on a node, over a new connection: ends what an earlier connection left there. Argument: KEY of the run's pair.
# A record's name ends in the process id and holds its start time, so that a number used again is not hit.
for record in /tmp/rdmalab-guard-"$(id -u)"/"$1".*; do
    [ -f "$record" ] || continue
    child=${record##*.}
    read -r started <"$record"
    if read -r stat <"/proc/$child/stat" && set -- ${stat##*) } && [ "${20}" = "$started" ]; then
        kill -KILL -"$child"
        echo "ended process $child, which a lost connection had left" >&2
    fi 2>/dev/null
    rm -f "$record"
done
exit 0
