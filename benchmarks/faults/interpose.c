/* A library for LD_PRELOAD that counts the calls which change a file, and breaks chosen ones.

   Variables, read again in each new process:
   FAULT_BELOW  folders, separated by colons; only calls on files below them count
   FAULT_STATE  a file of 16 bytes, shared by all processes of a run: the number of calls so far,
                and the number of calls that were broken
   FAULT_AT     the first call to break, from 1; 0 or missing: only count
   FAULT_LAST   the last call to break; missing: the same one
   FAULT_HOW    "kill": end the process before the call; "torn": write the first half, then end it;
                a number: fail with this errno
   FAULT_CLOCK  seconds by which the clock is wrong
   FAULT_ONLY   "sync" or "write": break only calls of this type, but count all */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum type { WRITE, SYNC, REMOVE, OTHER };
enum { NOTHING = 0, TORN = -1 };

static struct { pid_t pid; long at, last, clock; int error; char how, only; char below[8 * PATH_MAX]; } set;
static atomic_long *state; /* [0] calls so far, [1] calls broken */

/* At the start of a program, and in a fork at its first call on a file: its environment is set
   by then. Reading the clock is too early for that. */
__attribute__((constructor)) static void configure(void) {
    if (set.pid == getpid()) return;
    const char *below = getenv("FAULT_BELOW"), *file = getenv("FAULT_STATE");
    const char *at = getenv("FAULT_AT"), *last = getenv("FAULT_LAST");
    const char *how = getenv("FAULT_HOW"), *only = getenv("FAULT_ONLY");
    const char *clock = getenv("FAULT_CLOCK");
    set.pid = getpid();
    set.clock = clock ? atol(clock) : 0;
    snprintf(set.below, sizeof set.below, "%s", below ? below : "");
    set.at = at ? atol(at) : 0;
    set.last = last ? atol(last) : set.at;
    set.how = how ? how[0] : 'k';
    set.error = how ? atoi(how) : 0;
    set.only = only ? only[0] : 0;
    state = NULL;
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = file ? real(file, O_RDWR) : -1;
    if (fd < 0) return;
    void *shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    state = shared == MAP_FAILED ? NULL : shared;
    close(fd);
}

static int below(const char *path) {
    for (const char *at = set.below; *at;) {
        size_t size = strcspn(at, ":");
        if (size && !strncmp(path, at, size) && (path[size] == '/' || !path[size])) return 1;
        at += size + (at[size] == ':');
    }
    return 0;
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return 1;
}

static int named_below(int folder, const char *path) {
    char whole[2 * PATH_MAX], at[PATH_MAX];
    if (!path) return 0;
    if (path[0] == '/') return below(path);
    if (folder == AT_FDCWD ? !getcwd(at, sizeof at) : !path_of(folder, at)) return 0;
    snprintf(whole, sizeof whole, "%s/%s", at, path);
    return below(whole);
}

/* Counts a call; what is to be done instead of it: NOTHING, TORN, or an errno. */
static int broken(enum type type) {
    if (!state) return NOTHING;
    long number = atomic_fetch_add(&state[0], 1) + 1;
    if (!set.at || number < set.at || number > set.last) return NOTHING;
    if ((set.only == 's' && type != SYNC) || (set.only == 'w' && type != WRITE)) return NOTHING;
    if (set.error == ENOSPC && type == REMOVE) return NOTHING; /* a full disk lets files go */
    atomic_fetch_add(&state[1], 1);
    if (set.how == 't' && type == WRITE) return TORN;
    if (set.how == 't' || set.how == 'k') kill(getpid(), SIGKILL);
    return set.error;
}

static int on_file(int fd, enum type type) {
    char path[PATH_MAX];
    configure();
    if (!state || !path_of(fd, path) || !below(path)) return NOTHING;
    return broken(type);
}

static int on_name(int folder, const char *path, enum type type) {
    configure();
    return state && named_below(folder, path) ? broken(type) : NOTHING;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define FAIL_IF(found) \
    do { int error_ = (found); if (error_) { errno = error_; return -1; } } while (0)

/* A write of `size` bytes; `half` is the same call on the first half of them. */
#define WRITES(size, call, half) \
    int found = on_file(fd, WRITE); \
    if (found == TORN) { if ((size) > 1) { ssize_t done = (half); (void)done; } \
                         kill(getpid(), SIGKILL); } \
    FAIL_IF(found); \
    return call

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    WRITES(size, real(fd, data, size), real(fd, data, size / 2));
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    WRITES(count, real(fd, parts, count), real(fd, parts, count / 2));
}
#define PWRITE(name, offset_type) \
    ssize_t name(int fd, const void *data, size_t size, offset_type offset) { \
        REAL(ssize_t, #name, int, const void *, size_t, offset_type); \
        WRITES(size, real(fd, data, size, offset), real(fd, data, size / 2, offset)); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define ON_FILE(name, type) \
    int name(int fd) { REAL(int, #name, int); FAIL_IF(on_file(fd, type)); return real(fd); }
ON_FILE(fsync, SYNC)
ON_FILE(fdatasync, SYNC)

#define CUTS(name, file, offset_type, check) \
    int name(file at, offset_type size) { \
        REAL(int, #name, file, offset_type); FAIL_IF(check); return real(at, size); }
CUTS(ftruncate, int, off_t, on_file(at, OTHER))
CUTS(ftruncate64, int, off64_t, on_file(at, OTHER))
CUTS(truncate, const char *, off_t, on_name(AT_FDCWD, at, OTHER))
CUTS(truncate64, const char *, off64_t, on_name(AT_FDCWD, at, OTHER))

int posix_fallocate(int fd, off_t offset, off_t size) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    int found = on_file(fd, OTHER);
    return found ? found : real(fd, offset, size);
}
ssize_t sendfile(int fd, int from, off_t *offset, size_t size) {
    REAL(ssize_t, "sendfile", int, int, off_t *, size_t);
    WRITES(size, real(fd, from, offset, size), real(fd, from, offset, size / 2));
}
ssize_t sendfile64(int fd, int from, off64_t *offset, size_t size) {
    REAL(ssize_t, "sendfile64", int, int, off64_t *, size_t);
    WRITES(size, real(fd, from, offset, size), real(fd, from, offset, size / 2));
}

#define ON_NAME(name) \
    int name(const char *path) { \
        REAL(int, #name, const char *); FAIL_IF(on_name(AT_FDCWD, path, REMOVE)); return real(path); }
ON_NAME(unlink)
ON_NAME(rmdir)
int unlinkat(int folder, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    FAIL_IF(on_name(folder, path, REMOVE));
    return real(folder, path, flags);
}
int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    FAIL_IF(on_name(AT_FDCWD, path, OTHER));
    return real(path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, "mkdirat", int, const char *, mode_t);
    FAIL_IF(on_name(folder, path, OTHER));
    return real(folder, path, mode);
}

#define TO_NAME(name) \
    int name(const char *from, const char *to) { \
        REAL(int, #name, const char *, const char *); \
        FAIL_IF(on_name(AT_FDCWD, to, OTHER)); \
        return real(from, to); }
TO_NAME(rename)
TO_NAME(link)
TO_NAME(symlink)
int renameat(int from, const char *old, int to, const char *new) {
    REAL(int, "renameat", int, const char *, int, const char *);
    FAIL_IF(on_name(to, new, OTHER));
    return real(from, old, to, new);
}
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
    FAIL_IF(on_name(to, new, OTHER));
    return real(from, old, to, new, flags);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    FAIL_IF(on_name(to, new, OTHER));
    return real(from, old, to, new, flags);
}

/* Opening counts where it makes a file or empties one. */
static int opening(int folder, const char *path, int flags) {
    if (!(flags & (O_CREAT | O_TRUNC))) return NOTHING;
    if (!(flags & O_TRUNC) && !faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW)) return NOTHING;
    return on_name(folder, path, OTHER);
}
#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        MODE_OF(flags) FAIL_IF(opening(AT_FDCWD, path, flags)); \
        return real(path, flags, mode); }
#define OPENS_AT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        REAL(int, #name, int, const char *, int, ...); \
        MODE_OF(flags) FAIL_IF(opening(folder, path, flags)); \
        return real(folder, path, flags, mode); }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

int clock_gettime(clockid_t which, struct timespec *now) {
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    int result = real(which, now);
    if (which == CLOCK_REALTIME) now->tv_sec += set.clock;
    return result;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
