package tech.sluice.file

import java.io.File
import java.io.FileInputStream
import java.io.FileOutputStream
import java.io.IOException
import java.io.RandomAccessFile
import tech.sluice.InternalSluiceApi
import tech.sluice.core.Batch
import tech.sluice.core.BatchContent
import tech.sluice.core.BatchStore
import tech.sluice.core.attempt
import tech.sluice.core.deriveKey

private const val EXTENSION = ".batch"
private const val NEW = ".new"

/** No file of the SDK is longer. A longer one is not read, because it might not fit into the memory. */
private const val MAX_FILE_BYTES = 4L * 1_048_576

/** Length above which a file is rewritten with one record of tries. */
private const val LONG_FILE = 262_144

/**
 * Batches as files (sdks/contract/store.md). Several clients and processes may use one folder: each step takes the
 * folder's lock.
 */
@InternalSluiceApi
public class FileBatchStore(private val folder: File, private val folderSync: FolderSync) : BatchStore {
    private val lock = FolderLock(folder)

    /** Files that stay untouched and were reported. */
    private val reported = HashSet<String>()

    /** Lengths of the open batches of this client as it left them. */
    private val lengths = HashMap<String, Long>()

    override fun keys(): Set<String> =
        lock.exclusive { names().filter { it.endsWith(EXTENSION) }.mapTo(HashSet()) { it.removeSuffix(EXTENSION) } }

    private fun names(): Array<String> = folder.list() ?: throw IOException("the folder cannot be read")

    override fun list(known: Set<String>, lost: (count: Int, cause: String) -> Unit): List<Batch> =
        lock.exclusive {
            val names = names()
            // The lock is held, so nobody is writing these any more.
            names.filter { it.endsWith(NEW) }.forEach { File(folder, it).delete() }
            val keys = names.filter { it.endsWith(EXTENSION) }.map { it.removeSuffix(EXTENSION) }
            keys.filter { it !in known }.sorted().flatMap { listed(it, lost) }
        }

    private fun listed(key: String, lost: (count: Int, cause: String) -> Unit): List<Batch> {
        val file = try {
            contentOf(key)
        } catch (_: Throwable) {
            // Unreadable is not empty. A later listing tries again.
            if (reported.add(key)) lost(0, "a file of the queue cannot be read")
            return emptyList()
        }
        return when (file) {
            null -> emptyList()
            is BatchFile.Untouchable -> untouched(key, file, lost)
            is BatchFile.Empty -> {
                fileOf(key).delete()
                if (file.lost > 0) lost(file.lost, "a file of the queue is damaged")
                emptyList()
            }
            is BatchFile.Whole -> repaired(key, file, lost)
        }
    }

    private fun untouched(key: String, file: BatchFile.Untouchable, lost: (Int, String) -> Unit): List<Batch> {
        val why = if (file.isNewer) "of a newer version" else "of another program"
        if (reported.add(key)) lost(0, "a file of the queue is $why")
        return emptyList()
    }

    /** The batch or its halves. Completes a division that a crash interrupted, and cuts off a torn or damaged end. */
    private fun repaired(key: String, file: BatchFile.Whole, lost: (Int, String) -> Unit): List<Batch> {
        val batch = file.makeBatch(key) ?: return untouched(key, BatchFile.Untouchable(isNewer = false), lost)
        if (file.dividedAt != null) return divided(key, file, batch)
        if (file.lost > 0) {
            // Later messages would change their places, so the batch ends before the damage.
            batch.isSealed = true
            // The lost bytes may have been the record of a try.
            batch.doubts = maxOf(1, batch.doubts)
            if (batch.count > 0) write(key, batch, file.messages, triesOf(batch, batch.doubts)) else fileOf(key).delete()
            lost(file.lost, "a file of the queue is damaged")
        } else if (file.isTorn) {
            cut(fileOf(key), file.end.toLong())
        }
        return if (batch.count > 0) listOf(batch) else emptyList()
    }

    private fun divided(key: String, file: BatchFile.Whole, batch: Batch): List<Batch> {
        val at = file.dividedAt ?: return emptyList()
        val parts =
            listOf(0 to file.messages.take(at), at to file.messages.drop(at))
                .filter { (_, texts) -> texts.isNotEmpty() }
                .map { (from, texts) -> BatchContent(batch.sealedPart(deriveKey(key, from), texts), texts) }
        parts.forEach { writeUnlessThere(it) }
        fileOf(key).delete()
        return parts.mapNotNull { readWhole(it.batch.key)?.makeBatch(it.batch.key) }
    }

    override fun append(batch: Batch, index: Int, text: String): Boolean =
        lock.exclusive {
            val file = fileOf(batch.key)
            val frame = Frames.frame(Frames.MESSAGE, text)
            if (index == 0) {
                if (!file.createNewFile()) return@exclusive false
                begin(file, Frames.fileHead + headerOf(batch) + frame)
                lengths[batch.key] = file.length()
                true
            } else {
                // Another length means that another client has sealed it, or that a write of ours was cut short.
                val isUnchanged = file.length() == lengths[batch.key]
                if (isUnchanged) lengths[batch.key] = append(file, frame)
                isUnchanged
            }
        }

    private fun begin(file: File, bytes: ByteArray) {
        try {
            FileOutputStream(file, true).use { it.write(bytes) }
        } catch (error: Throwable) {
            file.delete()
            throw error
        }
    }

    /** Appends a frame in one write and returns the new length. What a failed write left is cut off. */
    private fun append(file: File, frame: ByteArray, isSynced: Boolean = false): Long {
        val before = file.length()
        try {
            FileOutputStream(file, true).use {
                it.write(frame)
                if (isSynced) it.fd.sync()
            }
        } catch (error: Throwable) {
            cut(file, before)
            throw error
        }
        return before + frame.size
    }

    private fun cut(file: File, length: Long) {
        RandomAccessFile(file, "rw").use { it.setLength(length) }
    }

    override fun seal(batch: Batch): Int? =
        lock.exclusive {
            lengths.remove(batch.key)
            val file = readWhole(batch.key) ?: return@exclusive null
            if (!file.isSealed) {
                if (file.isTorn) cut(fileOf(batch.key), file.end.toLong())
                append(fileOf(batch.key), Frames.frame(Frames.SEAL, mapOf("count" to file.messages.size)), isSynced = true)
                folderSync.sync(folder)
            }
            file.messages.size
        }

    override fun read(key: String): List<String>? = lock.exclusive { readWhole(key)?.messages }

    override fun update(batch: Batch, doubts: Int): Int? =
        lock.exclusive {
            val file = readWhole(batch.key) ?: return@exclusive null
            if (file.dividedAt != null) return@exclusive null
            val sum = maxOf(0, file.doubts + doubts)
            if (file.end > LONG_FILE && file.isSealed && file.later.isEmpty()) {
                write(batch.key, batch, file.messages, triesOf(batch, sum))
            } else {
                if (file.isTorn) cut(fileOf(batch.key), file.end.toLong())
                append(fileOf(batch.key), triesOf(batch, sum), isSynced = true)
            }
            sum
        }

    override fun replace(key: String, parts: List<BatchContent>): Boolean =
        lock.exclusive {
            val file = readWhole(key) ?: return@exclusive false
            if (file.doubts > 0 || file.dividedAt != null) return@exclusive false
            append(fileOf(key), Frames.frame(Frames.DIVIDED, mapOf("at" to parts.first().batch.count)), isSynced = true)
            parts.forEach { writeUnlessThere(it) }
            moveLater(key, file)
            fileOf(key).delete()
            true
        }

    override fun remove(batch: Batch) {
        lock.exclusive {
            lengths.remove(batch.key)
            readWhole(batch.key)?.let { moveLater(batch.key, it) }
            fileOf(batch.key).delete()
        }
    }

    /** Makes a batch of the messages after the seal. */
    private fun moveLater(key: String, file: BatchFile.Whole) {
        val batch = file.makeBatch(key)
        if (file.later.isEmpty() || batch == null) return
        writeUnlessThere(BatchContent(batch.sealedPart(deriveKey(key, file.messages.size), file.later), file.later))
    }

    override fun clear(sourceIdentifier: String): Int =
        lock.exclusive {
            val names = folder.list().orEmpty()
            names.filter { it.endsWith(NEW) }.forEach { File(folder, it).delete() }
            names.filter { it.endsWith(EXTENSION) }.sumOf { cleared(it.removeSuffix(EXTENSION), sourceIdentifier) }
        }

    override fun close() {
        lock.close()
    }

    /** Removes a batch if it is of this source. Returns the number of its messages. */
    private fun cleared(key: String, sourceIdentifier: String): Int {
        val file = attempt { readWhole(key) }
        if (file == null || file.header["sourceIdentifier"] != sourceIdentifier) return 0
        lengths.remove(key)
        fileOf(key).delete()
        return file.messages.size + file.later.size
    }

    private fun writeUnlessThere(part: BatchContent) {
        if (!fileOf(part.batch.key).exists()) write(part.batch.key, part.batch, part.texts, null)
    }

    /** Writes a sealed batch aside, syncs it, and gives it its name. */
    private fun write(key: String, batch: Batch, texts: List<String>, tries: ByteArray?) {
        val aside = File(folder, key + NEW)
        FileOutputStream(aside).use { out ->
            out.write(Frames.fileHead + headerOf(batch))
            texts.forEach { out.write(Frames.frame(Frames.MESSAGE, it)) }
            out.write(Frames.frame(Frames.SEAL, mapOf("count" to texts.size)))
            tries?.let { out.write(it) }
            out.fd.sync()
        }
        if (!aside.renameTo(fileOf(key))) throw IOException("a file cannot be renamed")
        folderSync.sync(folder)
    }

    private fun headerOf(batch: Batch): ByteArray =
        Frames.frame(
            Frames.HEADER,
            linkedMapOf(
                "key" to batch.key,
                "host" to batch.host,
                "sourceIdentifier" to batch.sourceIdentifier,
                "kind" to batch.kind.text,
                "created" to batch.created,
            ),
        )

    private fun triesOf(batch: Batch, doubts: Int): ByteArray =
        Frames.frame(
            Frames.TRIES,
            linkedMapOf(
                "tries" to batch.tries,
                "doubts" to doubts,
                "tooLarge" to batch.tooLarge,
                "firstTry" to batch.firstTry,
                "lastTry" to batch.lastTry,
                "nextTry" to batch.nextTry,
            ),
        )

    private fun readWhole(key: String): BatchFile.Whole? = contentOf(key) as? BatchFile.Whole

    /** Null if there is no file. @throws IOException if there is one that cannot be read */
    private fun contentOf(key: String): BatchFile? {
        val file = fileOf(key)
        if (!file.exists()) return null
        if (file.length() > MAX_FILE_BYTES) return BatchFile.Untouchable(isNewer = false)
        return BatchFile.read(FileInputStream(file).use { it.readBytes() })
    }

    private fun fileOf(key: String): File = File(folder, key + EXTENSION)
}
