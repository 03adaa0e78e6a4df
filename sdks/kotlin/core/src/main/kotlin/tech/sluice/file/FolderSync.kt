package tech.sluice.file

import java.io.File
import tech.sluice.InternalSluiceApi

/** Makes names of files in a folder outlive a loss of power. `java.io` has no way to do it. */
@InternalSluiceApi
public fun interface FolderSync {
    public fun sync(folder: File)
}
