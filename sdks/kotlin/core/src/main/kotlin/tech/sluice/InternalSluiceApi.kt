package tech.sluice

/** Marks what the modules of the SDK share. It is not for apps and changes without notice. */
@RequiresOptIn(level = RequiresOptIn.Level.ERROR, message = "Not for apps: it changes without notice.")
@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION, AnnotationTarget.PROPERTY, AnnotationTarget.CONSTRUCTOR, AnnotationTarget.TYPEALIAS)
public annotation class InternalSluiceApi
