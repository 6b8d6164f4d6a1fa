#!/bin/busybox sh
# First process of an emulated node. Loads the modules, takes the host's file system as its own (read-only, changes go
# to memory), brings up the network, the emulated RDMA device and sshd, then waits for ever as init.
# Kernel command line: rdmalab.node=N rdmalab.project=DIR rdmalab.share=DIR

/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin
step() { echo "rdmalab-node: $*" >/dev/console; }
fail() { step "FAILED $*"; poweroff -f; }

mkdir -p /proc /sys /dev /lower /memory /node
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for word in $(cat /proc/cmdline); do
    case $word in
    rdmalab.node=*) node=${word#*=} ;;
    rdmalab.project=*) project=${word#*=} ;;
    rdmalab.share=*) share=${word#*=} ;;
    esac
done

step "modules"
for module in /modules/*.ko; do
    insmod "$module" || fail "module $module"
done

step "files"
# The host's system changes seldom: cached. The project and the shared folder change under the node: never cached.
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 system /lower || fail "host's file system"
mount -t tmpfs -o size=512m tmpfs /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/lower,upperdir=/memory/upper,workdir=/memory/work overlay /node || fail overlay
mount -t proc proc /node/proc
mount -t sysfs sysfs /node/sys
mount --move /dev /node/dev
mkdir -p /node/dev/pts /node/dev/shm
mount -t devpts -o mode=0620 devpts /node/dev/pts
mount -t tmpfs tmpfs /node/dev/shm
mount -t tmpfs tmpfs /node/run
mount -t tmpfs tmpfs /node/tmp
chmod 1777 /node/tmp /node/dev/shm
# After the node's own /tmp and /run: the checkout may lie below one of them.
mkdir -p "/node$project"
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=none,msize=512000 project "/node$project" || fail project
[ -d "/node$share" ] || mkdir -p "/node$share"
mount -t 9p -o trans=virtio,version=9p2000.L,rw,cache=none,msize=512000 share "/node$share" || fail share

step "network"
hostname "node$node"
echo "node$node" >/node/etc/hostname
ip link set lo up
ip link set eth0 up
ip addr add "10.77.0.$node/24" dev eth0
ip link set eth1 up
ip addr add 10.0.2.15/24 dev eth1
chroot /node /usr/bin/rdma link add rxe0 type rxe netdev eth0 || fail "rdma link add"

step "sshd"
mkdir -p /node/run/sshd /node/run/rdmalab
cp /keys/authorized "/keys/host$node" /node/run/rdmalab/
chmod 600 /node/run/rdmalab/*
# Own accounts: root's shell without start-up files of the host, and a password field that means "keys only".
sed -i 's,^root:.*,root:x:0:0:root:/root:/bin/sh,' /node/etc/passwd
echo 'root:*:19000:0:99999:7:::' >/node/etc/shadow
cat >/node/run/rdmalab/sshd <<END
# Starts this node's sshd; further options as arguments.
exec /usr/sbin/sshd -f /dev/null -h /run/rdmalab/host$node -o UsePAM=no -o StrictModes=no -o UseDNS=no \\
    -o AuthorizedKeysFile=/run/rdmalab/authorized -o PermitRootLogin=prohibit-password \\
    -o PasswordAuthentication=no -o PidFile=/run/sshd.pid -o MaxStartups=50 -o MaxSessions=50 "\$@"
END
chroot /node /bin/sh /run/rdmalab/sshd || fail sshd
step "ready"
while :; do sleep 3600; done
