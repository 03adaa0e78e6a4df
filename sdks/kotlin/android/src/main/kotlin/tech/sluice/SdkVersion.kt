package tech.sluice

/** Name and version of the SDK in `context.sdk`. */
internal const val SDK_NAME: String = "sluice-android"
internal const val SDK_VERSION: String = "0.1.0"
