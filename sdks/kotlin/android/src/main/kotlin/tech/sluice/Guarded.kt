package tech.sluice

/** Marks code that uses a newer API level than minSdk, and is called only after a check of the level. */
@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
internal annotation class Guarded(val api: Int)
