package tech.sluice.core

import java.util.EnumMap

/** Collects messages in one open batch per kind, which is in the store from its first message on. Worker only. */
internal class Batcher(
    private val settings: Settings,
    private val ports: Ports,
    private val outbox: Outbox,
    private val reporter: Reporter,
) {
    private val queue = ports.queue

    /** Identifies are sealed and sent first. */
    private val open = EnumMap<BatchKind, Entry>(BatchKind::class.java)

    /** False while consent is pending, when nothing is written. */
    private var isPersistent = false

    fun add(kind: BatchKind, text: String) {
        val bytes = utf8Bytes(text)
        open[kind]?.let { if (it.batch.bytes + 1 + bytes > settings.maxBatchBytes) seal(it) }
        val entry = open[kind] ?: begin(kind, ports.random.uuid(IdPurpose.KEY)).also { open[kind] = it }
        append(entry, text, bytes)
        if (entry.batch.count >= settings.flushAt) seal(entry)
    }

    /** Seals the open batches and hands them to the outbox. */
    fun sealAll() {
        open.values.toList().forEach { seal(it) }
    }

    /** Writes the messages that were collected while consent was pending. */
    fun persist() {
        isPersistent = true
        for (entry in outbox.entries.values.toList()) {
            if (entry.isStored) continue
            entry.texts.orEmpty().indices.forEach { write(entry, it) }
            if (entry.isReady) close(entry)
        }
    }

    /** Writes nothing from now on. */
    fun pause() {
        isPersistent = false
    }

    /** Forgets the open batches. */
    fun erase() {
        open.values.forEach { it.timer?.cancel() }
        open.clear()
    }

    /** Opens a batch. */
    private fun begin(kind: BatchKind, key: String): Entry {
        val batch = Batch(key, settings.host, settings.sourceIdentifier, kind, ports.worker.now())
        val entry = Entry(batch, ArrayList())
        sealLater(entry)
        outbox.enter(entry)
        return entry
    }

    /** Seals a batch after the flush interval. While nothing can be sent it keeps collecting: an outage costs few files. */
    private fun sealLater(entry: Entry) {
        entry.timer =
            ports.worker.later(settings.flushInterval) {
                if (outbox.holdsUp(entry.batch.kind) && entry.isStored) entry.isRipe = true else seal(entry)
            }
    }

    /** Seals the batches that kept collecting and can be sent now. */
    fun sealRipe() {
        open.values.filter { it.isRipe && !outbox.holdsUp(it.batch.kind) }.forEach { seal(it) }
    }

    private fun append(entry: Entry, text: String, bytes: Int) {
        val index = entry.batch.count++
        entry.texts?.add(text)
        outbox.grow(entry.batch, if (index > 0) bytes + 1 else bytes, 1)
        write(entry, index)
    }

    private fun write(entry: Entry, index: Int) {
        val text = entry.texts?.getOrNull(index)
        if (queue == null || !isPersistent || entry.isRefused || text == null) return
        val isTaken =
            try {
                queue.append(entry.batch, index, text)
            } catch (error: Throwable) {
                return refused(entry, index, error)
            }
        if (isTaken) {
            entry.isStored = true
            reporter.storageWorks()
        } else if (index > 0) {
            moveOn(entry, index)
        } else {
            refused(entry, index, null)
        }
    }

    private fun refused(entry: Entry, index: Int, cause: Throwable?) {
        reporter.storageFailed(cause)
        // Ends the stored batch before a message that could not be written: later messages must keep their positions.
        if (index > 0) moveOn(entry, index) else entry.isRefused = true
    }

    /** Ends the stored batch before this message and moves this and all later messages to a new batch. */
    private fun moveOn(entry: Entry, index: Int) {
        val texts = entry.texts ?: return
        if (texts.size <= index) return
        val batch = entry.batch
        val moved = texts.subList(index, texts.size).toList()
        texts.subList(index, texts.size).clear()
        batch.count = index
        outbox.grow(batch, bodyBytes(texts) - batch.bytes, -moved.size)
        val next = begin(batch.kind, deriveKey(batch.key, index))
        for (text in moved) append(next, text, utf8Bytes(text))
        if (open[batch.kind] === entry) {
            open[batch.kind] = next
            close(entry)
        } else {
            close(next)
        }
    }

    /** Seals a batch, unless that was done before. */
    private fun seal(entry: Entry) {
        if (open[entry.batch.kind] !== entry) return
        open.remove(entry.batch.kind)
        close(entry)
    }

    private fun close(entry: Entry) {
        entry.timer?.cancel()
        entry.batch.isSealed = true
        if (entry.isStored) {
            val count = reporter.storing { queue?.seal(entry.batch) } ?: 0
            if (count > 0) moveOn(entry, count)
        }
        outbox.ready(entry)
    }
}
