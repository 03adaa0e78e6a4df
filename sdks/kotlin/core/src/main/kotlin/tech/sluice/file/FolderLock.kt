package tech.sluice.file

import java.io.Closeable
import java.io.File
import java.io.IOException
import java.io.RandomAccessFile
import java.nio.channels.FileChannel
import java.nio.channels.FileLock
import java.nio.channels.OverlappingFileLockException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

private const val MAX_WAIT_MS = 10_000L

/** Locks of the folders in this process. The system's file locks work between processes only. */
private val locks = ConcurrentHashMap<String, ReentrantLock>()

/** Locks a folder within a process and between processes. The system frees the lock of a process that ends. */
internal class FolderLock(private val folder: File) : Closeable {
    private val inProcess = locks.getOrPut(folder.absolutePath) { ReentrantLock() }
    private var file: RandomAccessFile? = null

    /**
     * Runs [work] while no other process or client does.
     *
     * @throws IOException if the folder cannot be written at present, or another process or client keeps it for 10 s
     */
    fun <T> exclusive(work: () -> T): T {
        if (!inProcess.tryLock(MAX_WAIT_MS, TimeUnit.MILLISECONDS)) throw IOException("the folder is in use")
        try {
            if (inProcess.holdCount > 1) return work()
            return betweenProcesses().use { work() }
        } finally {
            inProcess.unlock()
        }
    }

    /**
     * Closes the lock's file; the next use opens it again. It waits for other clients of this process, because closing the
     * file ends every lock that a process has on it.
     */
    override fun close() {
        if (!inProcess.tryLock(MAX_WAIT_MS, TimeUnit.MILLISECONDS)) return
        try {
            file?.close()
            file = null
        } finally {
            inProcess.unlock()
        }
    }

    private fun betweenProcesses(): Closeable {
        val channel = opened().channel
        val end = System.nanoTime() + MAX_WAIT_MS * 1_000_000
        while (true) {
            attemptLock(channel)?.let { return Closeable { it.release() } }
            if (System.nanoTime() > end) throw IOException("another process keeps the folder")
            Thread.sleep(1)
        }
    }

    /** Null while another process has the lock. */
    private fun attemptLock(channel: FileChannel): FileLock? =
        try {
            channel.tryLock()
        } catch (_: OverlappingFileLockException) {
            // Another name of the same folder, by a symbolic link.
            null
        }

    /** The lock's file; a new one if something has cleared the folder. */
    private fun opened(): RandomAccessFile {
        val name = File(folder, "lock")
        file?.let { if (name.exists()) return it else it.close() }
        if (!folder.isDirectory && !folder.mkdirs() && !folder.isDirectory) throw IOException("there is no folder")
        return RandomAccessFile(name, "rw").also { file = it }
    }
}
