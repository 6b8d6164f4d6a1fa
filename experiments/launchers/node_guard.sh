# Runs on a node around one process of a run. Arguments: KEY GRACE FOLDER CPUS ENV... -- ARGV...
# The process gets an own session, the given environment and nothing else. When standard input ends (the tool closed it,
# or the connection is gone) its group gets TERM, after GRACE seconds KILL. The exit status is the process's own.
# KEY names the record of the process, by which a later connection finds and ends what is left (see leftovers.sh).
umask 077
key=$1 grace=$2 folder=$3 cpus=$4
shift 4
records=/tmp/rdmalab-guard-$(id -u)
mkdir -p "$records" || exit 126
cd "$folder" || exit 126
[ "$cpus" = - ] || set -- taskset --cpu-list "$cpus" env -i "$@"
[ "$cpus" = - ] && set -- env -i "$@"
exec 3<&0 </dev/null
# In the background of a shell without job control setsid does not fork, so this is the process itself.
umask 022
setsid "$@" &
child=$!
record=$records/$key.$child
read -r stat </proc/$child/stat && set -- ${stat##*) } && echo "${20}" >"$record"
{
    while read -r _ <&3; do :; done
    kill -TERM -$child && kill -CONT -$child
    sleep "$grace"
    kill -KILL -$child
} 2>/dev/null &
watch=$!
wait $child
status=$?
kill $watch 2>/dev/null
rm -f "$record"
exit $status
