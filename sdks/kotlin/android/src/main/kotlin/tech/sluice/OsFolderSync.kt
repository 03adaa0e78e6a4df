package tech.sluice

import android.system.ErrnoException
import android.system.Os
import android.system.OsConstants
import java.io.File
import tech.sluice.file.FolderSync

/** Syncs a folder with system calls, because `java.nio.file` is missing before API level 26. */
internal object OsFolderSync : FolderSync {
    override fun sync(folder: File) {
        try {
            val descriptor = Os.open(folder.path, OsConstants.O_RDONLY, 0)
            try {
                Os.fsync(descriptor)
            } finally {
                Os.close(descriptor)
            }
        } catch (_: ErrnoException) {
            // The files themselves are synced; their names may be lost with the power.
        }
    }
}
