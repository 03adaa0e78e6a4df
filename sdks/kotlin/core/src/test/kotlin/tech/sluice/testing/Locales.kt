package tech.sluice.testing

import java.util.Locale

/** Runs [work] on a device of this locale. */
fun <T> inLocale(tag: String, work: () -> T): T {
    val before = Locale.getDefault()
    Locale.setDefault(Locale.forLanguageTag(tag))
    try {
        return work()
    } finally {
        Locale.setDefault(before)
    }
}
