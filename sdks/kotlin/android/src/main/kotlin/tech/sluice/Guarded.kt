package tech.sluice

/** Marks what uses a newer API level than minSdk, and is called only behind a check of the level. */
@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
internal annotation class Guarded(val api: Int)
