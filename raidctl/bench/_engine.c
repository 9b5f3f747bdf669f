/* The compiled engine: carries out streams of reads, writes and flushes, and measures the time of each operation.
 *
 * There are three kinds of workers. THREADS: one thread for each operation in flight (pread, pwrite, pwritev2 with
 * RWF_DSYNC, fdatasync). URING: one thread for each stream, io_uring through its three system calls, without a library.
 * AIO: as THREADS, but with up to 16 reads or writes of one thread in flight, through the kernel's older interface.
 * raidctl/bench/work.py describes streams and results, raidctl/bench/blocks.py the contents of a written sector.
 * No Python code is called during a run, and Python's lock is not held; the calling thread checks for signals 40 times
 * a second.
 *
 * Everything that workers use belongs to a `struct run`, which counts its users. After Ctrl-C, a worker whose operation
 * hangs in the kernel is left behind; the last user frees the memory and closes the descriptor.
 */
#define _GNU_SOURCE 1    /* as in pyconfig.h of Python 3.10 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#if PY_VERSION_HEX >= 0x030D0000
// headers from 3.13 on no longer choose the variant with Py_ssize_t lengths, which older Pythons that load this need
int _PyArg_ParseTuple_SizeT(PyObject *, const char *, ...);
#define PyArg_ParseTuple _PyArg_ParseTuple_SizeT
#endif

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<linux/io_uring.h>) && defined(SYS_io_uring_setup)
#include <linux/io_uring.h>
#define HAVE_URING 1
#endif
#endif

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef RWF_DSYNC
#define RWF_DSYNC 0x00000002
#endif

enum { READ, WRITE, WRITE_DURABLE, FLUSH };    /* raidctl.bench.work.Op */
enum { THREADS, URING, AIO };

#define SECOND 1000000000ull
#define TICK_NS 25000000ull        /* between two checks for signals */
#define SHUTDOWN_NS 50000000ull    /* time for the workers to end after Ctrl-C */
#define POLL_NS 1000000ull         /* polling for completions before sleeping (kernel AIO); rotating drives take longer */
#define READS_PER_POLL 100         /* reads of the ring before the processor is yielded */
#define PREEMPTED_NS 500000ull     /* longer without the processor: others need it, so polling stops */
#define POLL_PAUSE_NS 20000000ull  /* for this time at first */
#define AIO_SHARE 16               /* operations in flight for each thread (kernel AIO) if there are more processors */
#define SPIN_NS 60000ull           /* the end of a wait in an open loop: waking up takes tens of us */
#define MAX_CONSECUTIVE_FAILURES 1000  /* a stream ends after this many failures in a row: the device is gone */
#define STACK (256 * 1024)
#define PADDING 128                /* two cache lines, because they are fetched in pairs */
#define BIN_BITS 7                 /* the histogram has 2^7 bins for each power of two: at most 0.8 % wide */
#define BINS ((64 - BIN_BITS + 1) << BIN_BITS)
#define OPS 4

/* Hint to the processor: this loop waits. */
static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

/* ------------------------------------------------------------------------------------------------ blocks.py, in C */

#define SECTOR 512
#define HEADER 44

static const char MAGIC[8] = {'r', 'a', 'i', 'd', 'c', 't', 'l', 1};
static uint32_t crc_table[8][256];

static void crc_prepare(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        crc_table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < 256; i++)
            crc_table[k][i] = crc_table[0][crc_table[k - 1][i] & 255] ^ (crc_table[k - 1][i] >> 8);
}

/* Eight bytes at once; `value` is their little-endian number. */
static uint32_t crc_eight(uint32_t crc, uint64_t value) {
    uint64_t x = value ^ crc;
    return crc_table[7][x & 255] ^ crc_table[6][x >> 8 & 255] ^ crc_table[5][x >> 16 & 255] ^
           crc_table[4][x >> 24 & 255] ^ crc_table[3][x >> 32 & 255] ^ crc_table[2][x >> 40 & 255] ^
           crc_table[1][x >> 48 & 255] ^ crc_table[0][x >> 56];
}

struct pool {
    const unsigned char *doubled;    /* the pool twice, so that each window is contiguous */
    uint64_t size;
};

struct header {    /* the contents of a sector's header, except its place */
    uint64_t run, generation, time;
};

static uint64_t shift_of(const struct pool *pool, uint64_t run, uint64_t generation) {
    uint64_t x = run ^ (generation * 0x9E3779B97F4A7C15ull);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return ((x ^ (x >> 31)) | 1) % pool->size;
}

static uint64_t magic_number(void) {
    uint64_t m;
    memcpy(&m, MAGIC, 8);
    return le64toh(m);
}

static void write_header(unsigned char *to, const struct header *header, uint64_t place) {
    uint64_t fields[5] = {magic_number(), header->run, place, header->generation, header->time};
    uint32_t crc = 0xFFFFFFFFu;
    for (int i = 0; i < 5; i++) {
        crc = crc_eight(crc, fields[i]);
        fields[i] = htole64(fields[i]);
    }
    crc = htole32(~crc);
    memcpy(to, fields, 40);
    memcpy(to + 40, &crc, 4);
}

/* Fill `size` bytes with the contents of a write at byte `start`. */
static void fill(unsigned char *to, uint64_t size, const struct pool *pool, const struct header *header,
                 uint64_t start) {
    uint64_t at = (shift_of(pool, header->run, header->generation) + start % pool->size) % pool->size;
    for (uint64_t done = 0; done < size; done += pool->size) {
        uint64_t piece = size - done < pool->size ? size - done : pool->size;
        memcpy(to + done, pool->doubled + at, piece);
    }
    for (uint64_t sector = 0; sector + SECTOR <= size; sector += SECTOR)
        write_header(to + sector, header, start + sector);
}

/* Whether a block has the contents of a write of this run at `start`, of this generation or a later one. */
static bool matches(const unsigned char *data, uint64_t size, const struct pool *pool, uint64_t run,
                    uint64_t generation, uint64_t start) {
    uint64_t fields[5];
    unsigned char expected[HEADER];
    if (size < SECTOR) return true;    /* a part of a sector has no header */
    memcpy(fields, data, 40);
    struct header header = {run, le64toh(fields[3]), le64toh(fields[4])};
    if (header.generation < generation) return false;
    uint64_t at = (shift_of(pool, run, header.generation) + start % pool->size) % pool->size;
    for (uint64_t sector = 0; sector < size; sector += SECTOR) {
        const unsigned char *window = pool->doubled + (at + sector % pool->size) % pool->size;
        uint64_t length = size - sector < SECTOR ? size - sector : SECTOR, skip = length < SECTOR ? 0 : HEADER;
        if (skip) {
            write_header(expected, &header, start + sector);
            if (memcmp(data + sector, expected, HEADER)) return false;
        }
        if (memcmp(data + sector + skip, window + skip, length - skip)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ shared data */

struct sample {
    uint64_t start, latency;
    uint32_t index;    /* of the operation in the stream */
    int32_t result;
};

struct log {
    struct sample *samples;
    uint64_t count, capacity;
    uint64_t *missed;      /* offsets whose data differed from what was written */
    uint64_t misses, misses_capacity;
    uint64_t *bins;        /* OPS histograms of the operations that succeeded after the last sample; NULL: none */
};

struct stream {
    uint64_t count, size;
    unsigned char *ops;
    uint64_t *offsets, *intended;    /* intended: NULL in a closed loop */
    uint32_t depth, batch;
    bool cycle, ordered;             /* ordered: flushes wait for other operations */
    char padding[PADDING];               /* keeps what each operation writes and what it reads in different cache lines */
    atomic_uint_fast64_t next;
    char more_padding[PADDING];
    atomic_int failures;
    pthread_mutex_t lock;            /* for the fields below; only threads of an ordered stream use it */
    pthread_cond_t turn;
    uint64_t in_flight;
    bool flushing;
};

struct run;

struct worker {
    struct run *run;
    struct stream *stream;
    uint32_t capacity;     /* operations that it may have in flight; 0: one, without a queue */
    unsigned char *buffers;
    size_t buffers_size;
    struct log log;
    uint64_t now, keep;    /* now: the last time that was read; keep: samples */
    int error;             /* errno: why it could not start or continue */
    char padding[PADDING];     /* keeps the next worker in other cache lines */
};

struct run {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int users, ready, done;
    atomic_int gate;    /* 0 closed, 1 start, -1 end; a futex, so that all start at once and none waits for a lock */
    atomic_bool stop;
    int fd, kind;
    bool verify;
    uint64_t base;    /* offset of the target's byte 0 in the descriptor's file */
    uint64_t run_id, generation, t0, deadline, last_end, to_real_time;
    uint64_t seconds_ns, polled;
    struct pool pool;
    uint32_t streams_count, workers_count, processors;
    struct stream *streams;
    struct worker *workers;
};

static void free_run(struct run *run) {
    for (uint32_t i = 0; run->workers && i < run->workers_count; i++) {
        struct worker *w = &run->workers[i];
        if (w->buffers) munmap(w->buffers, w->buffers_size);
        free(w->log.samples);
        free(w->log.missed);
        free(w->log.bins);
    }
    for (uint32_t i = 0; run->streams && i < run->streams_count; i++) {
        free(run->streams[i].ops);
        free(run->streams[i].offsets);
        free(run->streams[i].intended);
        pthread_mutex_destroy(&run->streams[i].lock);
        pthread_cond_destroy(&run->streams[i].turn);
    }
    free(run->workers);
    free(run->streams);
    free((void *)run->pool.doubled);
    if (run->fd >= 0) close(run->fd);
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->changed);
    free(run);
}

static void leave(struct run *run) {
    pthread_mutex_lock(&run->lock);
    bool last = --run->users == 0;
    pthread_mutex_unlock(&run->lock);
    if (last) free_run(run);
}

static bool stopped(const struct run *run) { return atomic_load_explicit(&run->stop, memory_order_relaxed); }

static void fail(struct worker *w, int error) {
    w->error = error;
    atomic_store(&w->run->stop, true);
}

static bool grow(void **at, uint64_t *capacity, size_t size, uint64_t first) {
    uint64_t more = *capacity ? *capacity * 2 : first;
    void *new = realloc(*at, more * size);
    if (!new) return false;
    *at = new;
    *capacity = more;
    return true;
}

static uint32_t bin_of(uint64_t value) {
    if (value < 1u << BIN_BITS) return (uint32_t)value;
    int shift = 63 - __builtin_clzll(value) - BIN_BITS;
    return (uint32_t)((shift + 1) << BIN_BITS) + (uint32_t)(value >> shift & ((1u << BIN_BITS) - 1));
}

static void record(struct worker *w, uint64_t index, uint64_t start, uint64_t end, int64_t result) {
    struct log *log = &w->log;
    uint64_t t0 = w->run->t0, latency = end > start ? end - start : 0;
    bool complete = result >= 0 && (w->stream->ops[index] == FLUSH || result == (int64_t)w->stream->size);
    if (log->count >= w->keep && complete) {    /* a histogram cannot show an error */
        if (!log->bins && !(log->bins = calloc(OPS * BINS, sizeof *log->bins))) return fail(w, ENOMEM);
        log->bins[w->stream->ops[index] * BINS + bin_of(latency)]++;
    } else {
        if (log->count == log->capacity && !grow((void **)&log->samples, &log->capacity, sizeof *log->samples, 4096))
            return fail(w, ENOMEM);
        log->samples[log->count++] =
            (struct sample){start > t0 ? start - t0 : 0, latency, (uint32_t)index, (int32_t)result};
    }
    if (result < 0)
        atomic_fetch_add_explicit(&w->stream->failures, 1, memory_order_relaxed);
    else if (atomic_load_explicit(&w->stream->failures, memory_order_relaxed))
        atomic_store_explicit(&w->stream->failures, 0, memory_order_relaxed);
}

/* Check the data of a read if that is requested. Its end time has already been taken. */
static void compare(struct worker *w, const unsigned char *data, uint64_t index, int64_t result) {
    struct run *run = w->run;
    struct stream *s = w->stream;
    if (!run->verify || s->ops[index] != READ || result != (int64_t)s->size) return;
    if (!matches(data, s->size, &run->pool, run->run_id, run->generation, s->offsets[index])) {
        struct log *log = &w->log;
        if (log->misses == log->misses_capacity &&
            !grow((void **)&log->missed, &log->misses_capacity, sizeof *log->missed, 64))
            return fail(w, ENOMEM);
        log->missed[log->misses++] = s->offsets[index];
    }
    w->now = now_ns();
}

/* Fill the buffer of a write. Its start time is taken afterwards. */
static void prepare(struct worker *w, unsigned char *data, uint64_t index, uint64_t round) {
    struct run *run = w->run;
    struct stream *s = w->stream;
    if (s->ops[index] != WRITE && s->ops[index] != WRITE_DURABLE) return;
    struct header header = {run->run_id, run->generation + round, w->now + run->to_real_time};
    fill(data, s->size, &run->pool, &header, s->offsets[index]);
    w->now = now_ns();
}

static bool is_over(struct worker *w) {
    return stopped(w->run) || w->now >= w->run->deadline ||
           atomic_load_explicit(&w->stream->failures, memory_order_relaxed) >= MAX_CONSECUTIVE_FAILURES;
}

/* ---------------------------------------------------------------------------------------------------------- threads */

static int64_t carry_out(struct run *run, struct stream *s, uint64_t index, unsigned char *data) {
    off_t at = (off_t)(run->base + s->offsets[index]);
    int64_t done = -1;
    do {
        struct iovec piece = {data, s->size};
        switch (s->ops[index]) {
        case READ: done = pread(run->fd, data, s->size, at); break;
        case WRITE: done = pwrite(run->fd, data, s->size, at); break;
        case WRITE_DURABLE:
            done = syscall(SYS_pwritev2, run->fd, &piece, 1, (long)at, (long)((uint64_t)at >> 32), RWF_DSYNC);
            if (done < 0 && (errno == ENOSYS || errno == EOPNOTSUPP)) {    /* Linux before 4.7, and some file systems */
                done = pwrite(run->fd, data, s->size, at);
                if (done >= 0 && fdatasync(run->fd)) done = -1;
            }
            break;
        default: done = fdatasync(run->fd);
        }
    } while (done < 0 && errno == EINTR && !stopped(run));
    return done < 0 ? -errno : done;
}

/* Wait for the intended start; false: the run is over before. */
static bool sleep_until(struct worker *w, uint64_t when) {
    uint64_t spin = w->stream->depth == 1 ? SPIN_NS : 0;
    for (;;) {
        w->now = now_ns();
        if (is_over(w)) return false;
        if (w->now >= when) return true;
        uint64_t gap = when - w->now;
        if (gap <= spin) continue;
        gap = gap - spin < TICK_NS ? gap - spin : TICK_NS;
        struct timespec t = {0, (long)gap};
        nanosleep(&t, NULL);
    }
}

/* Take the next operation of the stream. A flush waits for those before it, and later ones wait for the flush. */
static bool claim(struct worker *w, uint64_t *turn) {
    struct stream *s = w->stream;
    if (!s->ordered) {
        *turn = s->depth == 1 ? atomic_load_explicit(&s->next, memory_order_relaxed) : 0;
        if (s->depth == 1)
            atomic_store_explicit(&s->next, *turn + 1, memory_order_relaxed);
        else
            *turn = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        return s->cycle || *turn < s->count;
    }
    pthread_mutex_lock(&s->lock);
    for (;;) {
        *turn = atomic_load(&s->next);
        bool any = !stopped(w->run) && (s->cycle || *turn < s->count);
        bool flush = any && s->ops[*turn % s->count] == FLUSH;
        if (!any || !(s->flushing || (flush && s->in_flight))) {
            if (any) {
                atomic_store(&s->next, *turn + 1);
                s->in_flight++;
                s->flushing = flush;
            }
            pthread_mutex_unlock(&s->lock);
            if (any) w->now = now_ns();
            return any;
        }
        pthread_cond_wait(&s->turn, &s->lock);
    }
}

static void release(struct worker *w, bool flush) {
    struct stream *s = w->stream;
    if (!s->ordered) return;
    pthread_mutex_lock(&s->lock);
    s->in_flight--;
    if (flush) s->flushing = false;
    if (flush || s->in_flight == 0) pthread_cond_broadcast(&s->turn);
    pthread_mutex_unlock(&s->lock);
}

static void by_threads(struct worker *w) {
    struct stream *s = w->stream;
    uint64_t turn;
    w->now = now_ns();
    while (!is_over(w) && claim(w, &turn)) {
        uint64_t round = turn < s->count ? 0 : turn / s->count, index = turn - round * s->count;
        bool flush = s->ops[index] == FLUSH;
        if ((s->ordered && is_over(w)) || (s->intended && !sleep_until(w, w->run->t0 + s->intended[index]))) {
            release(w, flush);
            break;
        }
        prepare(w, w->buffers, index, round);
        uint64_t start = s->intended ? w->run->t0 + s->intended[index] : now_ns();
        int64_t result = carry_out(w->run, s, index, w->buffers);
        w->now = now_ns();
        record(w, index, start, w->now, result);
        compare(w, w->buffers, index, result);
        release(w, flush);
    }
}

/* ----------------------------------------------------------------------------------------------------------- queues */

struct slot {
    uint64_t start, index;
};

/* The operations of one worker that are in flight. `backend` submits them, through io_uring or kernel AIO. */
struct queue {
    const struct backend *backend;
    uint32_t capacity, free_count, in_flight;
    uint32_t *free_slots;
    struct slot *slots;
    uint64_t index, round;    /* of the next operation, once it is claimed */
    bool claimed, flushing;
    uint64_t polled;    /* processor time spent on polling, ns */
};

struct backend {
    void (*put)(struct queue *, struct worker *, uint32_t number, uint64_t index);
    /* Submit what is queued, and wait for `least` completions, at most `patience` ns (0: no limit); returns an errno. */
    int (*enter)(struct queue *, unsigned least, uint64_t patience);
    unsigned (*withdraw)(struct queue *);    /* remove what the kernel did not accept; returns the number */
    unsigned (*reap)(struct queue *, struct worker *);
    void (*close)(struct queue *);
};

static int queue_open(struct queue *q, const struct backend *backend, const struct worker *w) {
    q->backend = backend;
    q->capacity = w->capacity;
    q->slots = calloc(q->capacity, sizeof *q->slots);
    q->free_slots = calloc(q->capacity, sizeof *q->free_slots);
    if (!q->slots || !q->free_slots) return ENOMEM;
    for (uint32_t i = 0; i < q->capacity; i++) q->free_slots[q->free_count++] = q->capacity - 1 - i;
    return 0;
}

static void queue_close(struct queue *q) {
    q->backend->close(q);
    free(q->free_slots);
    free(q->slots);
    free(q);
}

static void put(struct queue *q, struct worker *w) {
    struct stream *s = w->stream;
    uint64_t index = q->index;
    uint32_t number = q->free_slots[--q->free_count];
    prepare(w, w->buffers + (size_t)number * s->size, index, q->round);
    q->backend->put(q, w, number, index);
    q->slots[number] = (struct slot){s->intended ? w->run->t0 + s->intended[index] : w->now, index};
    q->in_flight++;
    q->flushing = s->ops[index] == FLUSH;
    q->claimed = false;
}

static void ended(struct queue *q, struct worker *w, uint32_t number, uint64_t when, int64_t result) {
    const struct slot *slot = &q->slots[number];
    record(w, slot->index, slot->start, when, result);
    compare(w, w->buffers + (size_t)number * w->stream->size, slot->index, result);
    q->free_slots[q->free_count++] = number;
    q->in_flight--;
}

/* The kernel accepts no more at the moment: wait a little. If the run is over, remove what it did not accept. */
static void queue_full(struct queue *q, struct worker *w) {
    struct timespec t = {0, 100000};
    nanosleep(&t, NULL);
    if (is_over(w)) q->in_flight -= q->backend->withdraw(q);    /* their slots stay in use: nothing else is started */
}

/* Whether the next operation may start now. `pause`: the time until its intended start, if it waits only for that. */
static bool may_start(struct queue *q, struct worker *w, bool *more, uint64_t *pause) {
    struct stream *s = w->stream;
    *pause = 0;
    if (!*more) return false;
    if (!q->claimed) {
        uint64_t turn = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        *more = q->claimed = s->cycle || turn < s->count;
        if (!q->claimed) return false;
        q->round = turn < s->count ? 0 : turn / s->count;
        q->index = turn - q->round * s->count;
    }
    if (!q->free_count || (s->ordered && q->in_flight && (q->flushing || s->ops[q->index] == FLUSH))) return false;
    if (!s->intended) return true;
    uint64_t when = w->run->t0 + s->intended[q->index];
    if (w->now < when) w->now = now_ns();
    if (w->now >= when) return true;
    *pause = when - w->now < TICK_NS ? when - w->now : TICK_NS;
    return false;
}

static void by_queue(struct worker *w, struct queue *q) {
    struct stream *s = w->stream;
    uint64_t pause = 0;
    bool more = true;
    w->now = now_ns();
    while ((more = more && !is_over(w)) || q->in_flight) {
        unsigned queued = 0;
        for (; queued < s->batch && may_start(q, w, &more, &pause); queued++) put(q, w);
        bool wait = queued < s->batch || !may_start(q, w, &more, &pause);
        int error = q->backend->enter(q, wait && q->in_flight ? 1 : 0, wait && more ? pause : 0);
        if (error == EAGAIN || error == EBUSY)
            queue_full(q, w);
        else if (error)
            return fail(w, error);
        if (!q->backend->reap(q, w)) w->now = now_ns();
        if (more && pause && !q->in_flight) more = sleep_until(w, w->run->t0 + s->intended[q->index]);
        pause = 0;
    }
}

/* ---------------------------------------------------------------------------------------------------------- io_uring */

#ifdef HAVE_URING
/* The kernel's numbers under names that older headers lack. */
enum { OP_FSYNC = 3, OP_READ_FIXED = 4, OP_WRITE_FIXED = 5, OP_READ = 22, OP_WRITE = 23 };
enum { REGISTER_BUFFERS = 0, REGISTER_FILES = 2, REGISTER_RING_FDS = 20 };
enum { ENTER_GETEVENTS = 1, ENTER_EXT_ARG = 8, ENTER_REGISTERED_RING = 16 };
enum { SETUP_COOP_TASKRUN = 1 << 8, SETUP_SINGLE_ISSUER = 1 << 12, SETUP_DEFER_TASKRUN = 1 << 13 };
enum { FEAT_SINGLE_MMAP = 1, FEAT_EXT_ARG = 1 << 8 };

struct wait_argument {
    uint64_t mask;
    uint32_t mask_size, pad;
    uint64_t timeout;
};
struct ring_update {
    uint32_t offset, reserved;
    uint64_t data;
};

struct ring {
    struct queue queue;    /* first, because the backend's functions get its address */
    int fd, enter_fd;
    unsigned enter_flags, *sq_head, *sq_tail, sq_mask, *cq_head, *cq_tail, cq_mask, tail;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    void *rings, *entries;
    size_t rings_size, entries_size;
    bool fixed_file, fixed_buffers;
};

static int ring_setup(unsigned entries, struct io_uring_params *p) {
    static const unsigned choices[] = {SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN, SETUP_COOP_TASKRUN, 0};
    int fd = -1;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        memset(p, 0, sizeof *p);
        p->flags = choices[i];
        fd = (int)syscall(SYS_io_uring_setup, entries, p);
        if (fd >= 0 || errno != EINVAL) break;
    }
    return fd;
}

static void ring_close(struct queue *q) {
    struct ring *r = (struct ring *)q;
    if (r->entries) munmap(r->entries, r->entries_size);
    if (r->rings) munmap(r->rings, r->rings_size);
    if (r->fd >= 0) close(r->fd);
}

static int ring_map(struct ring *r, const struct io_uring_params *p) {
    size_t sq = p->sq_off.array + p->sq_entries * sizeof(unsigned);
    size_t cq = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
    if (!(p->features & FEAT_SINGLE_MMAP)) return ENOSYS;
    r->rings_size = sq > cq ? sq : cq;
    r->entries_size = p->sq_entries * sizeof(struct io_uring_sqe);
    r->rings = mmap(NULL, r->rings_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);
    if (r->rings == MAP_FAILED) return r->rings = NULL, errno;
    r->entries = mmap(NULL, r->entries_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
    if (r->entries == MAP_FAILED) return r->entries = NULL, errno;
    char *base = r->rings;
    r->sq_head = (unsigned *)(base + p->sq_off.head);
    r->sq_tail = (unsigned *)(base + p->sq_off.tail);
    r->cq_head = (unsigned *)(base + p->cq_off.head);
    r->cq_tail = (unsigned *)(base + p->cq_off.tail);
    r->sq_mask = *(unsigned *)(base + p->sq_off.ring_mask);
    r->cq_mask = *(unsigned *)(base + p->cq_off.ring_mask);
    r->cqes = (struct io_uring_cqe *)(base + p->cq_off.cqes);
    r->sqes = r->entries;
    unsigned *array = (unsigned *)(base + p->sq_off.array);
    for (unsigned i = 0; i < p->sq_entries; i++) array[i] = i;
    return 0;
}

/* Registering saves the kernel work for each operation. It is optional: the limit on locked memory may forbid it. */
static void ring_register(struct ring *r, struct worker *w) {
    struct iovec all = {w->buffers, w->buffers_size};
    struct ring_update own = {UINT32_MAX, 0, (uint64_t)r->fd};
    int32_t fd = w->run->fd;
    r->fixed_file = syscall(SYS_io_uring_register, r->fd, REGISTER_FILES, &fd, 1) == 0;
    r->fixed_buffers = w->buffers_size <= 1u << 30 && syscall(SYS_io_uring_register, r->fd, REGISTER_BUFFERS, &all, 1) == 0;
    if (syscall(SYS_io_uring_register, r->fd, REGISTER_RING_FDS, &own, 1) == 1) {
        r->enter_fd = (int)own.offset;
        r->enter_flags |= ENTER_REGISTERED_RING;
    }
}

static void ring_put(struct queue *q, struct worker *w, uint32_t number, uint64_t index) {
    struct ring *r = (struct ring *)q;
    struct stream *s = w->stream;
    struct io_uring_sqe *e = &r->sqes[r->tail & r->sq_mask];
    memset(e, 0, sizeof *e);
    e->fd = r->fixed_file ? 0 : w->run->fd;
    e->flags = r->fixed_file ? IOSQE_FIXED_FILE : 0;
    e->user_data = number;
    if (s->ops[index] == FLUSH) {
        e->opcode = OP_FSYNC;
        e->fsync_flags = IORING_FSYNC_DATASYNC;
    } else {
        bool read = s->ops[index] == READ;
        e->opcode = read ? (r->fixed_buffers ? OP_READ_FIXED : OP_READ) : (r->fixed_buffers ? OP_WRITE_FIXED : OP_WRITE);
        e->rw_flags = s->ops[index] == WRITE_DURABLE ? RWF_DSYNC : 0;
        e->off = w->run->base + s->offsets[index];
        e->addr = (uint64_t)(uintptr_t)(w->buffers + (size_t)number * s->size);
        e->len = (uint32_t)s->size;
    }
    r->tail++;
}

static int ring_enter(struct queue *q, unsigned least, uint64_t patience) {
    struct ring *r = (struct ring *)q;
    __atomic_store_n(r->sq_tail, r->tail, __ATOMIC_RELEASE);
    unsigned queued = r->tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE);
    int64_t span[2] = {(int64_t)(patience / SECOND), (int64_t)(patience % SECOND)};    /* struct __kernel_timespec */
    struct wait_argument argument = {0, _NSIG / 8, 0, (uint64_t)(uintptr_t)span};
    long done = patience ? syscall(SYS_io_uring_enter, r->enter_fd, queued, least, r->enter_flags | ENTER_EXT_ARG,
                                   &argument, sizeof argument)
                         : syscall(SYS_io_uring_enter, r->enter_fd, queued, least, r->enter_flags, NULL, 0);
    if (done >= 0 || errno == EINTR || errno == ETIME) return 0;
    return errno;
}

static unsigned ring_withdraw(struct queue *q) {
    struct ring *r = (struct ring *)q;
    unsigned left = r->tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE);
    r->tail -= left;
    __atomic_store_n(r->sq_tail, r->tail, __ATOMIC_RELEASE);
    return left;
}

static unsigned ring_reap(struct queue *q, struct worker *w) {
    struct ring *r = (struct ring *)q;
    unsigned head = *r->cq_head, end = __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE), count = end - head;
    if (!count) return 0;
    uint64_t when = w->now = now_ns();
    for (; head != end; head++) {
        const struct io_uring_cqe *c = &r->cqes[head & r->cq_mask];
        ended(q, w, (uint32_t)c->user_data, when, c->res);
    }
    __atomic_store_n(r->cq_head, end, __ATOMIC_RELEASE);
    return count;
}

static const struct backend BY_URING = {ring_put, ring_enter, ring_withdraw, ring_reap, ring_close};

static int ring_open(struct ring *r, struct worker *w) {
    struct io_uring_params p;
    int error = queue_open(&r->queue, &BY_URING, w);
    r->fd = r->enter_fd = ring_setup(w->capacity, &p);
    if (r->fd < 0) return errno;
    if (error || (error = p.features & FEAT_EXT_ARG ? 0 : ENOSYS) || (error = ring_map(r, &p))) return error;
    r->enter_flags = ENTER_GETEVENTS;
    ring_register(r, w);
    return 0;
}

static int probe_uring(void) {
    struct io_uring_params p;
    int fd = ring_setup(1, &p);
    if (fd < 0) return errno;
    close(fd);
    return p.features & FEAT_EXT_ARG ? 0 : ETIME;
}
#else
static int probe_uring(void) { return ENOPKG; }
#endif

/* -------------------------------------------------------------------------------------------------------- kernel AIO */

/* The ring of completions, at the address that io_setup returns: struct aio_ring of the kernel's fs/aio.c. */
struct aio_ring {
    uint32_t id, count, head, tail, magic, features, features_needed, header;
    struct io_event events[];
};
enum { AIO_RING_MAGIC = 0xa10a10a1 };

struct aio {
    struct queue queue;    /* first, because the backend's functions get its address */
    aio_context_t context;
    struct iocb *blocks, **queued;
    struct io_event *events;
    long queued_count, events_count;
    uint64_t no_polling_until, pause;
    bool readable, may_poll;    /* readable: completions can be read without a system call */
};

static void aio_put(struct queue *q, struct worker *w, uint32_t number, uint64_t index) {
    struct aio *a = (struct aio *)q;
    const struct stream *s = w->stream;
    a->blocks[number] = (struct iocb){
        .aio_data = number,
        .aio_lio_opcode = s->ops[index] == READ ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
        .aio_fildes = (uint32_t)w->run->fd,
        .aio_buf = (uint64_t)(uintptr_t)(w->buffers + (size_t)number * s->size),
        .aio_nbytes = s->size,
        .aio_offset = (int64_t)(w->run->base + s->offsets[index]),
    };
    a->queued[a->queued_count++] = &a->blocks[number];
}

static bool aio_ring_is_readable(const struct aio *a) {
    const struct aio_ring *ring = (const struct aio_ring *)a->context;
    return ring->magic == AIO_RING_MAGIC && !ring->features_needed;
}

/* Take completions without a system call; returns the number. */
static long aio_read_ring(struct aio *a) {
    struct aio_ring *ring = (struct aio_ring *)a->context;
    uint32_t head = ring->head, tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    long count = 0;
    for (; head != tail && count < (long)a->queue.capacity; head = (head + 1) % ring->count)
        a->events[count++] = ring->events[head];
    __atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
    return count;
}

/* Read the ring repeatedly for a few microseconds. */
static long aio_read_ring_often(struct aio *a) {
    long count = 0;
    for (int i = 0; i < READS_PER_POLL && !count; i++) {
        relax();
        count = aio_read_ring(a);
    }
    return count;
}

/* Stop polling for a while because others need this processor: a thread that polls waits for its turn behind them, one
 * that sleeps is woken at once. The time doubles each time, so that few turns are lost. */
static void aio_pause_polling(struct aio *a, uint64_t now) {
    a->pause = a->pause ? 2 * a->pause : POLL_PAUSE_NS;
    a->no_polling_until = now + a->pause;
}

/* Poll for completions for as long as an SSD needs: waking up takes as long as some devices. */
static long aio_poll(struct aio *a, unsigned least, uint64_t patience) {
    long count = aio_read_ring(a);
    if (count || !least || !a->may_poll) return count;
    uint64_t span = patience && patience < POLL_NS ? patience : POLL_NS, begun = now_ns(), now = begun, before;
    if (now < a->no_polling_until) return 0;
    uint64_t spent = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    while (!(count = aio_read_ring_often(a)) && now - begun < span) {
        sched_yield();
        before = now;
        now = now_ns();
        if (now - before > PREEMPTED_NS) {
            aio_pause_polling(a, now);
            break;
        }
    }
    a->queue.polled += clock_ns(CLOCK_THREAD_CPUTIME_ID) - spent;
    return count;
}

static int aio_submit(struct aio *a) {
    long taken = a->queued_count ? syscall(SYS_io_submit, a->context, a->queued_count, a->queued) : 0;
    if (taken < 0) return errno;
    a->queued_count -= taken;
    memmove(a->queued, a->queued + taken, (size_t)a->queued_count * sizeof *a->queued);
    return 0;
}

static int aio_enter(struct queue *q, unsigned least, uint64_t patience) {
    struct aio *a = (struct aio *)q;
    struct timespec span = {(time_t)(patience / SECOND), (long)(patience % SECOND)};
    int error = aio_submit(a);
    if (error || a->queued_count) least = 0;    /* the rest of the queue is submitted first */
    a->events_count = a->readable ? aio_poll(a, least, patience) : 0;
    if (a->events_count || (a->readable && !least)) return error;
    a->events_count = syscall(SYS_io_getevents, a->context, (long)least, (long)q->capacity, a->events,
                              least && !patience ? NULL : &span);
    if (a->events_count >= 0) return error;
    a->events_count = 0;
    return errno == EINTR ? error : errno;
}

static unsigned aio_withdraw(struct queue *q) {
    struct aio *a = (struct aio *)q;
    unsigned left = (unsigned)a->queued_count;
    a->queued_count = 0;
    return left;
}

static unsigned aio_reap(struct queue *q, struct worker *w) {
    struct aio *a = (struct aio *)q;
    if (!a->events_count) return 0;
    uint64_t when = w->now = now_ns();
    for (long i = 0; i < a->events_count; i++) ended(q, w, (uint32_t)a->events[i].data, when, a->events[i].res);
    return (unsigned)a->events_count;
}

static void aio_close(struct queue *q) {
    struct aio *a = (struct aio *)q;
    if (a->context) syscall(SYS_io_destroy, a->context);
    free(a->blocks);
    free(a->queued);
    free(a->events);
}

static const struct backend BY_AIO = {aio_put, aio_enter, aio_withdraw, aio_reap, aio_close};

static int aio_open(struct aio *a, const struct worker *w) {
    int error = queue_open(&a->queue, &BY_AIO, w);
    a->blocks = calloc(w->capacity, sizeof *a->blocks);
    a->queued = calloc(w->capacity, sizeof *a->queued);
    a->events = calloc(w->capacity, sizeof *a->events);
    if (error || !a->blocks || !a->queued || !a->events) return ENOMEM;
    if (syscall(SYS_io_setup, w->capacity, &a->context)) return errno;
    a->readable = aio_ring_is_readable(a);
    a->may_poll = w->run->workers_count <= w->run->processors && w->run->processors > 1;
    return 0;
}

/* Whether `count` reads and writes of a descriptor can be in flight at once; 0 or an errno. EOPNOTSUPP: the file system
 * may carry each one out while it is submitted; the depth of the queue would be 1, and nothing would show that. */
static int probe_aio(int fd, unsigned count) {
    struct stat about;
    struct statfs system;
    aio_context_t context = 0;
    if (fstat(fd, &about) || fstatfs(fd, &system)) return errno;
    if (!S_ISBLK(about.st_mode) && system.f_type != EXT4_SUPER_MAGIC && system.f_type != XFS_SUPER_MAGIC)
        return EOPNOTSUPP;
    if (syscall(SYS_io_setup, count, &context)) return errno;
    syscall(SYS_io_destroy, context);
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- the run */

/* The queue of a worker with several operations in flight. NULL: it has one at a time. */
static struct queue *open_queue(struct worker *w) {
    struct queue *q = NULL;
    if (!w->capacity || w->error) return NULL;
#ifdef HAVE_URING
    if (w->run->kind == URING && (q = calloc(1, sizeof(struct ring)))) w->error = ring_open((struct ring *)q, w);
#endif
    if (w->run->kind == AIO && (q = calloc(1, sizeof(struct aio)))) w->error = aio_open((struct aio *)q, w);
    if (!q) w->error = ENOMEM;
    return q;
}

static void open_gate(struct run *run, int value) {
    int closed = 0;
    if (atomic_compare_exchange_strong(&run->gate, &closed, value))
        syscall(SYS_futex, &run->gate, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Wait at the gate with all other workers; false: end. */
static bool wait_at_gate(struct run *run, int error) {
    if (error) open_gate(run, -1);
    pthread_mutex_lock(&run->lock);
    run->ready++;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
    while (!atomic_load(&run->gate)) syscall(SYS_futex, &run->gate, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return atomic_load(&run->gate) > 0;
}

static void *worker_main(void *argument) {
    struct worker *w = argument;
    struct run *run = w->run;
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    w->buffers_size = (size_t)w->stream->size * (w->capacity ? w->capacity : 1);
    w->buffers = mmap(NULL, w->buffers_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (w->buffers == MAP_FAILED) {
        w->buffers = NULL;
        w->error = errno;
    }
    struct queue *q = open_queue(w);
    if (wait_at_gate(run, w->error)) q ? by_queue(w, q) : by_threads(w);
    uint64_t polled = q ? q->polled : 0;
    if (q) queue_close(q);
    pthread_mutex_lock(&run->lock);
    run->polled += polled;
    run->done++;
    if (w->now > run->last_end) run->last_end = w->now;
    bool last = --run->users == 0;    /* together with `done`: whoever finds all done is the only user */
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
    if (last) free_run(run);
    return NULL;
}

/* Start all workers, detached and with all signals blocked; 0 or an errno. */
static int start_workers(struct run *run) {
    pthread_attr_t attributes;
    pthread_t id;
    sigset_t all, before;
    int error = 0;
    uint32_t begun = 0;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; begun < run->workers_count && !error; begun++) {
        pthread_mutex_lock(&run->lock);
        run->users++;
        pthread_mutex_unlock(&run->lock);
        error = pthread_create(&id, &attributes, worker_main, &run->workers[begun]);
        if (error) {
            leave(run);
            begun--;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    pthread_mutex_lock(&run->lock);
    while (run->ready < (int)begun) pthread_cond_wait(&run->changed, &run->lock);
    run->workers_count = begun;
    if (!error) {
        struct timespec real;
        clock_gettime(CLOCK_REALTIME, &real);
        run->t0 = run->last_end = now_ns();
        run->to_real_time = (uint64_t)real.tv_sec * SECOND + (uint64_t)real.tv_nsec - run->t0;
        run->deadline = run->seconds_ns ? run->t0 + run->seconds_ns : UINT64_MAX;
    }
    pthread_mutex_unlock(&run->lock);
    open_gate(run, error ? -1 : 1);    /* it stays at -1 if a worker could not prepare */
    return error;
}

/* Wait at most `patience` ns until all workers are done; whether they are. */
static bool all_done(struct run *run, uint64_t patience) {
    uint64_t until = now_ns() + patience;
    struct timespec t = {(time_t)(until / SECOND), (long)(until % SECOND)};
    pthread_mutex_lock(&run->lock);
    while (run->done < (int)run->workers_count)
        if (pthread_cond_timedwait(&run->changed, &run->lock, &t)) break;
    bool done = run->done >= (int)run->workers_count;
    pthread_mutex_unlock(&run->lock);
    return done;
}

static void stop(struct run *run) {
    atomic_store(&run->stop, true);
    for (uint32_t i = 0; i < run->streams_count; i++) {
        pthread_mutex_lock(&run->streams[i].lock);
        pthread_cond_broadcast(&run->streams[i].turn);
        pthread_mutex_unlock(&run->streams[i].lock);
    }
}

/* Wait for the workers without Python's lock; -1: a signal handler raised, and they were stopped. */
static int wait_for_workers(struct run *run) {
    for (;;) {
        PyThreadState *state = PyEval_SaveThread();
        bool done = all_done(run, TICK_NS);
        PyEval_RestoreThread(state);
        if (PyErr_CheckSignals()) {
            state = PyEval_SaveThread();
            stop(run);
            all_done(run, SHUTDOWN_NS);
            PyEval_RestoreThread(state);
            return -1;
        }
        if (done) return 0;
    }
}

static uint64_t cpu_ns(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * SECOND +
           ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000;
}

/* --------------------------------------------------------------------------------------------- the Python interface */

static void *copy(const void *from, size_t size) {
    void *to = malloc(size ? size : 1);
    if (to) memcpy(to, from, size);
    return to;
}

static bool read_stream(struct stream *s, PyObject *item) {
    const char *ops, *offsets, *intended;
    Py_ssize_t ops_size, offsets_size, intended_size, size;
    int depth, batch, cycle;
    if (!PyArg_ParseTuple(item, "y#y#niipz#", &ops, &ops_size, &offsets, &offsets_size, &size, &depth, &batch, &cycle,
                          &intended, &intended_size))
        return false;
    if (ops_size < 1 || ops_size >= UINT32_MAX || offsets_size != ops_size * 8 || size < 1 || size > INT_MAX ||
        depth < 1 || batch < 1 || batch > depth || (intended && (intended_size != offsets_size || cycle)))
        return PyErr_SetString(PyExc_ValueError, "not a stream"), false;
    for (Py_ssize_t i = 0; i < ops_size; i++)
        if ((unsigned char)ops[i] >= OPS) return PyErr_SetString(PyExc_ValueError, "not an operation"), false;
    s->count = (uint64_t)ops_size;
    s->size = (uint64_t)size;
    s->depth = (uint32_t)depth;
    s->batch = (uint32_t)batch;
    s->cycle = cycle;
    s->ordered = depth > 1 && memchr(ops, FLUSH, (size_t)ops_size);
    s->ops = copy(ops, (size_t)ops_size);
    s->offsets = copy(offsets, (size_t)offsets_size);
    s->intended = intended ? copy(intended, (size_t)intended_size) : NULL;
    if (!s->ops || !s->offsets || (intended && !s->intended)) return PyErr_NoMemory(), false;
    return true;
}

/* Kernel AIO cannot keep the order of flushes, and one worker alone keeps the times of an open loop. */
static uint32_t workers_of(const struct run *run, const struct stream *s) {
    if (run->kind == URING) return 1;
    if (run->kind != AIO || s->depth == 1 || memchr(s->ops, FLUSH, s->count) || memchr(s->ops, WRITE_DURABLE, s->count))
        return s->depth;
    uint32_t shares = (s->depth + AIO_SHARE - 1) / AIO_SHARE;
    return s->intended ? 1 : shares < run->processors ? shares : run->processors;
}

static bool read_streams(struct run *run, PyObject *list, uint64_t keep) {
    Py_ssize_t count = PyList_Size(list);
    if (count < 1 || count > INT_MAX) return PyErr_SetString(PyExc_ValueError, "no streams"), false;
    run->streams = calloc((size_t)count, sizeof *run->streams);
    if (!run->streams) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < count; i++) {
        struct stream *s = &run->streams[run->streams_count++];
        pthread_mutex_init(&s->lock, NULL);
        pthread_cond_init(&s->turn, NULL);
        if (!read_stream(s, PyList_GetItem(list, i))) return false;
        run->workers_count += workers_of(run, s);
    }
    run->workers = calloc(run->workers_count, sizeof *run->workers);
    if (!run->workers) return run->workers_count = 0, PyErr_NoMemory(), false;
    struct worker *w = run->workers;
    for (uint32_t i = 0; i < run->streams_count; i++) {
        uint32_t each = workers_of(run, &run->streams[i]), depth = run->streams[i].depth;
        for (uint32_t k = 0; k < each; k++, w++) {
            w->run = run;
            w->stream = &run->streams[i];
            w->capacity = each < depth || run->kind == URING ? depth / each + (k < depth % each) : 0;
            w->keep = keep / each ? keep / each : 1;
        }
    }
    return true;
}

struct merged {
    struct sample sample;
    uint64_t end;
};

static int by_end(const void *a, const void *b) {
    uint64_t x = ((const struct merged *)a)->end, y = ((const struct merged *)b)->end;
    return x < y ? -1 : x > y;
}

/* The five columns of a stream's samples: operation, offset, start, latency, result. */
static PyObject *columns(const struct stream *s, const struct merged *all, uint64_t count) {
    static const int widths[5] = {1, 8, 8, 8, 4};
    PyObject *made[5] = {NULL};
    char *at[5];
    bool fine = true;
    for (int i = 0; i < 5 && fine; i++) {
        made[i] = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * (uint64_t)widths[i]));
        fine = made[i] != NULL;
        at[i] = fine ? PyBytes_AsString(made[i]) : NULL;
    }
    for (uint64_t i = 0; fine && i < count; i++) {
        const struct sample *one = &all[i].sample;
        at[0][i] = (char)s->ops[one->index];
        memcpy(at[1] + 8 * i, &s->offsets[one->index], 8);
        memcpy(at[2] + 8 * i, &one->start, 8);
        memcpy(at[3] + 8 * i, &one->latency, 8);
        memcpy(at[4] + 4 * i, &one->result, 4);
    }
    PyObject *tuple = fine ? PyTuple_Pack(5, made[0], made[1], made[2], made[3], made[4]) : NULL;
    for (int i = 0; i < 5; i++) Py_XDECREF(made[i]);
    return tuple;
}

/* The results of a stream's workers: (columns, offsets that did not match, histogram or None). */
static PyObject *answer_of(const struct run *run, const struct stream *s) {
    uint64_t count = 0, misses = 0, seen = 0;
    PyObject *missed = NULL, *bins = NULL, *table = NULL, *answer = NULL;
    uint64_t *sums = calloc(OPS * BINS, sizeof *sums);
    bool beyond = false;
    for (uint32_t i = 0; i < run->workers_count; i++)
        if (run->workers[i].stream == s) {
            count += run->workers[i].log.count;
            misses += run->workers[i].log.misses;
        }
    struct merged *all = malloc((count ? count : 1) * sizeof *all);
    missed = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(misses * 8));
    if (!all || !missed || !sums) goto out;
    misses = 0;
    for (uint32_t i = 0; i < run->workers_count; i++) {
        const struct log *log = &run->workers[i].log;
        if (run->workers[i].stream != s) continue;
        for (uint64_t k = 0; k < log->count; k++)
            all[seen++] = (struct merged){log->samples[k], log->samples[k].start + log->samples[k].latency};
        if (log->misses) memcpy(PyBytes_AsString(missed) + misses * 8, log->missed, log->misses * 8);
        misses += log->misses;
        for (uint32_t bin = 0; log->bins && bin < OPS * BINS; bin++) sums[bin] += log->bins[bin];
        beyond = beyond || log->bins;
    }
    if (run->kind != URING && s->depth > 1) qsort(all, count, sizeof *all, by_end);
    if (beyond) bins = PyBytes_FromStringAndSize((char *)sums, OPS * BINS * 8);
    table = columns(s, all, count);
    if (table && (bins || !beyond)) answer = PyTuple_Pack(3, table, missed, bins ? bins : Py_None);
out:
    if (!answer && !PyErr_Occurred()) PyErr_NoMemory();
    free(all);
    free(sums);
    Py_XDECREF(table);
    Py_XDECREF(missed);
    Py_XDECREF(bins);
    return answer;
}

static struct run *new_run(int fd, int kind) {
    struct run *run = calloc(1, sizeof *run);
    if (!run) return PyErr_NoMemory(), NULL;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&run->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&run->lock, NULL);
    cpu_set_t own;
    run->users = 1;
    run->kind = kind;
    run->processors = sched_getaffinity(0, sizeof own, &own) ? 1 : (uint32_t)CPU_COUNT(&own);
    run->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);    /* the caller may close its own before the last worker ends */
    if (run->fd < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        leave(run);
        return NULL;
    }
    return run;
}

static bool take_pool(struct pool *pool, const char *bytes, Py_ssize_t size) {
    if (size < SECTOR) return PyErr_SetString(PyExc_ValueError, "the pool is too small"), false;
    unsigned char *twice = malloc((size_t)size * 2);
    if (!twice) return PyErr_NoMemory(), false;
    memcpy(twice, bytes, (size_t)size);
    memcpy(twice + size, bytes, (size_t)size);
    *pool = (struct pool){twice, (uint64_t)size};
    return true;
}

static int first_error(const struct run *run) {
    for (uint32_t i = 0; i < run->workers_count; i++)
        if (run->workers[i].error) return run->workers[i].error;
    return 0;
}

static PyObject *answers(const struct run *run, uint64_t cpu) {
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < run->streams_count; i++) {
        PyObject *one = answer_of(run, &run->streams[i]);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    if (!list) return NULL;
    PyObject *all = Py_BuildValue("(OKK)", list, (unsigned long long)(run->last_end - run->t0), (unsigned long long)cpu);
    Py_DECREF(list);
    return all;
}

static PyObject *py_run(PyObject *module, PyObject *arguments) {
    int fd, kind, verify;
    PyObject *streams, *answer = NULL;
    double seconds;
    unsigned long long base, run_id, generation, keep;
    const char *pool;
    Py_ssize_t pool_size;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "iKiO!dKKpy#K", &fd, &base, &kind, &PyList_Type, &streams, &seconds, &run_id,
                          &generation, &verify, &pool, &pool_size, &keep))
        return NULL;
    struct run *run = new_run(fd, kind);
    if (!run) return NULL;
    run->base = base;
    run->run_id = run_id;
    run->generation = generation;
    run->verify = verify;
    run->seconds_ns = seconds < 0 ? 0 : seconds * 1e9 < 1 ? 1 : (uint64_t)(seconds * 1e9);
    if (take_pool(&run->pool, pool, pool_size) && read_streams(run, streams, keep)) {
        uint64_t cpu = cpu_ns();
        PyThreadState *state = PyEval_SaveThread();
        int error = start_workers(run);
        PyEval_RestoreThread(state);
        if (wait_for_workers(run) == 0) {
            error = error ? error : first_error(run);
            cpu = cpu_ns() - cpu;
            cpu -= run->polled < cpu ? run->polled : cpu;    /* polling is not a cost of the operations */
            if (error) {
                errno = error;
                PyErr_SetFromErrno(PyExc_OSError);
            } else
                answer = answers(run, cpu);
        }
    }
    leave(run);
    return answer;
}

static PyObject *py_fill(PyObject *module, PyObject *arguments) {
    unsigned long long run_id, start, generation, time;
    Py_ssize_t size, pool_size;
    const char *bytes;
    struct pool pool;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KKnKKy#", &run_id, &start, &size, &generation, &time, &bytes, &pool_size) ||
        !take_pool(&pool, bytes, pool_size))
        return NULL;
    PyObject *made = size < 0 ? PyErr_NoMemory() : PyBytes_FromStringAndSize(NULL, size);
    struct header header = {run_id, generation, time};
    if (made) fill((unsigned char *)PyBytes_AsString(made), (uint64_t)size, &pool, &header, start);
    free((void *)pool.doubled);
    return made;
}

static PyObject *py_matches(PyObject *module, PyObject *arguments) {
    unsigned long long run_id, start, generation;
    Py_ssize_t size, pool_size;
    const char *data, *bytes;
    struct pool pool;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#KKKy#", &data, &size, &run_id, &start, &generation, &bytes, &pool_size) ||
        !take_pool(&pool, bytes, pool_size))
        return NULL;
    bool same = matches((const unsigned char *)data, (uint64_t)size, &pool, run_id, generation, start);
    free((void *)pool.doubled);
    return PyBool_FromLong(same);
}

static PyObject *py_uring(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    return PyLong_FromLong(probe_uring());
}

static PyObject *py_aio(PyObject *module, PyObject *arguments) {
    int fd;
    unsigned count;
    (void)module;
    return PyArg_ParseTuple(arguments, "iI", &fd, &count) ? PyLong_FromLong(probe_aio(fd, count)) : NULL;
}

static PyMethodDef functions[] = {
    {"run", py_run, METH_VARARGS, "Carry out streams; see raidctl/bench/_engine.pyi."},
    {"fill", py_fill, METH_VARARGS, "The contents of a write; see raidctl/bench/blocks.py."},
    {"matches", py_matches, METH_VARARGS, "Whether a block has the contents of a write of that run."},
    {"uring", py_uring, METH_NOARGS, "0: io_uring can be used; else the errno of the reason."},
    {"aio", py_aio, METH_VARARGS, "0: kernel AIO keeps this many operations of a descriptor in flight; else the errno."},
    {NULL, NULL, 0, NULL},
};

static int prepare_module(PyObject *module) {
    crc_prepare();
    return PyModule_AddIntConstant(module, "BIN_BITS", BIN_BITS)
        || PyModule_AddIntConstant(module, "MAX_CONSECUTIVE_FAILURES", MAX_CONSECUTIVE_FAILURES);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void *)prepare_module}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_engine", "Reads, writes and flushes, each with its time.", 0, functions, module_slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__engine(void) { return PyModuleDef_Init(&definition); }
