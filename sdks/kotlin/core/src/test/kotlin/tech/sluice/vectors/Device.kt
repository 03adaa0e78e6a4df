package tech.sluice.vectors

import java.io.File
import java.io.IOException
import tech.sluice.core.Batch
import tech.sluice.core.BatchContent
import tech.sluice.core.BatchStore
import tech.sluice.core.ValueStore
import tech.sluice.core.parseJson
import tech.sluice.file.BatchFile
import tech.sluice.file.FileBatchStore
import tech.sluice.file.FileValueStore
import tech.sluice.testing.JvmFolderSync

/** The files of a device, and the faults that a runner injects. */
class Device(private val folder: File) {
    private val queueFolder = File(folder, "queue")
    private val valuesFolder = File(folder, "values")

    /** True makes writes that need room fail. */
    var isFull = false

    fun queue(): BatchStore = FullableQueue(FileBatchStore(queueFolder, JvmFolderSync)) { isFull }

    fun values(): ValueStore {
        val files = FileValueStore(valuesFolder, "source")
        return object : ValueStore by files {
            override fun change(change: (MutableMap<String, String>) -> Unit): Map<String, String> {
                if (isFull) throw IOException("no room")
                return files.change(change)
            }
        }
    }

    fun value(name: String): String? = FileValueStore(valuesFolder, "source").read()[name]

    fun loseQueue() {
        queueFolder.deleteRecursively()
    }

    fun loseValues() {
        valuesFolder.deleteRecursively()
    }

    /** All batches with the names of their messages, oldest first. */
    fun batches(): List<Pair<Batch, List<String>>> =
        queueFolder
            .listFiles { file -> file.name.endsWith(".batch") }
            .orEmpty()
            .map { file ->
                val read = BatchFile.read(file.readBytes()) as BatchFile.Whole
                val names = read.messages.map { nameOf(parseJson(it) as Map<*, *>) }
                checkNotNull(read.makeBatch(file.name.removeSuffix(".batch"))) to names
            }.sortedWith(compareBy({ it.first.created }, { it.first.key.length }, { it.first.key }))
}

private class FullableQueue(private val files: BatchStore, private val isFull: () -> Boolean) : BatchStore by files {
    override fun append(batch: Batch, index: Int, text: String): Boolean {
        assertRoom()
        return files.append(batch, index, text)
    }

    override fun seal(batch: Batch): Int? {
        assertRoom()
        return files.seal(batch)
    }

    override fun replace(key: String, parts: List<BatchContent>): Boolean {
        assertRoom()
        return files.replace(key, parts)
    }

    private fun assertRoom() {
        if (isFull()) throw IOException("no room")
    }
}
