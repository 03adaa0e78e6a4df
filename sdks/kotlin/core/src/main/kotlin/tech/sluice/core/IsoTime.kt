package tech.sluice.core

/** Milliseconds of 2149-06-07, the end of the range that the service accepts. */
private const val END = 5_662_310_400_000L
private const val DAY = 86_400_000L
private const val ZERO = '0'.code

/**
 * `YYYY-MM-DDTHH:MM:SS.mmmZ` in ASCII digits and the Gregorian calendar, in every locale; null outside 1970-01-01 to 2149-06-06.
 * `java.time` needs API level 26, and `SimpleDateFormat` depends on the locale.
 */
internal fun isoTimeOf(ms: Long): String? {
    if (ms < 0 || ms >= END) return null
    val (year, month, day) = toDate(ms / DAY)
    val time = (ms % DAY).toInt()
    return CharArray(24)
        .apply {
            put(0, 4, year, '-')
            put(5, 2, month, '-')
            put(8, 2, day, 'T')
            put(11, 2, time / 3_600_000, ':')
            put(14, 2, time / 60_000 % 60, ':')
            put(17, 2, time / 1_000 % 60, '.')
            put(20, 3, time % 1_000, 'Z')
        }
        .concatToString()
}

private fun CharArray.put(from: Int, digits: Int, value: Int, then: Char) {
    var rest = value
    for (at in from + digits - 1 downTo from) {
        this[at] = (ZERO + rest % 10).toChar()
        rest /= 10
    }
    this[from + digits] = then
}

/** Year, month and day of a day since 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
private fun toDate(days: Long): Triple<Int, Int, Int> {
    val shifted = days + 719_468
    val era = shifted / 146_097
    val dayOfEra = (shifted % 146_097).toInt()
    val yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    val dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    val shiftedMonth = (5 * dayOfYear + 2) / 153
    val month = if (shiftedMonth < 10) shiftedMonth + 3 else shiftedMonth - 9
    val year = (yearOfEra + era * 400).toInt() + if (month <= 2) 1 else 0
    return Triple(year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

private fun countDays(year: Int, month: Int, day: Int): Long {
    val shiftedYear = if (month <= 2) year - 1 else year
    val era = shiftedYear / 400
    val yearOfEra = shiftedYear % 400
    val dayOfYear = (153 * (if (month > 2) month - 3 else month + 9) + 2) / 5 + day - 1
    return era * 146_097L + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private val months = "JanFebMarAprMayJunJulAugSepOctNovDec"

/** Milliseconds of a date in a header, `Sat, 31 Jan 2026 12:00:00 GMT` (RFC 9110); null for any other text. */
internal fun httpDateFrom(text: String): Long? {
    val parts = text.substringAfter(", ", "").split(' ')
    if (parts.size != 5 || parts[4] != "GMT" || parts[1].length != 3) return null
    val month = months.indexOf(parts[1])
    val time = parts[3].split(':').map { numberFrom(it) ?: return null }
    val day = numberFrom(parts[0])
    val year = numberFrom(parts[2])
    if (month < 0 || month % 3 != 0 || time.size != 3 || day == null || year == null || year < 1970) return null
    val seconds = time[0] * 3_600L + time[1] * 60 + time[2]
    return countDays(year, month / 3 + 1, day) * DAY + seconds * 1_000
}

/** A whole number of one to four ASCII digits. */
private fun numberFrom(text: String): Int? =
    if (text.length in 1..4 && text.all { it in '0'..'9' }) text.toInt() else null
