package tech.sluice.testing

import java.io.File
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption
import tech.sluice.file.FolderSync

/** Syncs a folder like Android's `Os.fsync`. */
object JvmFolderSync : FolderSync {
    override fun sync(folder: File) {
        FileChannel.open(folder.toPath(), StandardOpenOption.READ).use { it.force(true) }
    }
}
