package tech.sluice.core

/** A call breaks a rule of the service. */
internal class RuleException(message: String) : Exception(message)

// Written without regular expressions: `\w` means other characters on Android than on a JVM.

/** True for a userId or anonymousId that the service accepts. */
internal fun isPersonId(id: String?): Boolean =
    id != null && id.length in 1..64 && id.all { isLetterOrDigit(it) || it in "_-.@:+|=~" }

internal fun isEventName(name: String?): Boolean =
    name != null && name.length in 1..64 && name.all { isLetterOrDigit(it) || it in "_-." }

/** True for a name of a property or trait that the service accepts. */
internal fun isPropertyName(name: String): Boolean =
    name.length in 1..64 && name.all { isLetterOrDigit(it) || it in "_-.$" }

private const val MAX_TEXT = 4_096

/** True for at most 4,096 code points without unpaired surrogates. */
internal fun isStorable(text: CharSequence): Boolean {
    var points = 0
    var at = 0
    while (at < text.length) {
        val sign = text[at++]
        if (sign.isLowSurrogate()) return false
        if (sign.isHighSurrogate() && (at == text.length || !text[at++].isLowSurrogate())) return false
        if (++points > MAX_TEXT) return false
    }
    return true
}
