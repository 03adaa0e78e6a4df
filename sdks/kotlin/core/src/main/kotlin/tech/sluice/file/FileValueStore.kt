package tech.sluice.file

import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import tech.sluice.InternalSluiceApi
import tech.sluice.core.JsonException
import tech.sluice.core.ValueStore
import tech.sluice.core.parseJson
import tech.sluice.core.formatJson

private const val MAX_FILE_BYTES = 1_048_576L

/** Small values in one file, which is replaced as a whole. */
@InternalSluiceApi
public class FileValueStore(private val folder: File, name: String) : ValueStore {
    private val lock = FolderLock(folder)
    private val file = File(folder, "$name.json")

    /** True once the folder could be written: until then a file may be missing because the device is locked. */
    @Volatile
    private var isOpen = false

    override fun read(): Map<String, String> {
        if (!isOpen) {
            lock.exclusive { }
            isOpen = true
        }
        // A longer file is not the SDK's: it counts as damaged.
        val text = if (!file.exists()) return emptyMap() else if (file.length() > MAX_FILE_BYTES) "" else file.readText()
        val members = try {
            parseJson(text) as? Map<*, *>
        } catch (_: JsonException) {
            // Damaged, but not by a crash: the file is replaced as a whole.
            null
        }
        val values = LinkedHashMap<String, String>()
        members?.forEach { (key, value) -> if (key is String && value is String) values[key] = value }
        return values
    }

    override fun change(change: (MutableMap<String, String>) -> Unit): Map<String, String> =
        lock.exclusive {
            val values = read().toMutableMap()
            change(values)
            val aside = File(folder, file.name + ".new")
            FileOutputStream(aside).use {
                it.write(formatJson(values).toByteArray())
                it.fd.sync()
            }
            if (!aside.renameTo(file)) throw IOException("a file cannot be renamed")
            values
        }

    override fun clear() {
        lock.exclusive { file.delete() }
    }

    override fun close() {
        lock.close()
    }
}
