package tech.sluice

/** Runs calls to the system that throw on some devices; the SDK then does without them. */
internal fun quietly(work: () -> Unit) {
    try {
        work()
    } catch (_: Throwable) {
        return
    }
}
