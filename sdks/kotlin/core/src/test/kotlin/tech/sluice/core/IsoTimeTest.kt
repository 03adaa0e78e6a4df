package tech.sluice.core

import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale
import java.util.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test
import tech.sluice.testing.inLocale

class IsoTimeTest {
    private val end = Instant.parse("2149-06-07T00:00:00Z").toEpochMilli()
    private val expected = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC)

    @Test
    fun `times are the same as those of java time, in every locale`() {
        val random = Random(21)
        val times = List(20_000) { (random.nextDouble() * end).toLong() } + listOf(0L, end - 1, 951_782_400_000, 4_107_542_400_000)
        for (tag in listOf("en-US", "fa-IR", "ar-EG-u-nu-arab", "th-TH-u-ca-buddhist-nu-thai")) {
            inLocale(tag) { times.forEach { assertEquals(expected.format(Instant.ofEpochMilli(it)), isoTimeOf(it)) } }
        }
    }

    @Test
    fun `there is no time outside of 1970-01-01 to 2149-06-06`() {
        for (ms in listOf(-1, end, Long.MIN_VALUE, Long.MAX_VALUE)) assertNull(isoTimeOf(ms))
    }

    @Test
    fun `dates of headers are read, in every locale`() {
        for (tag in listOf("en-US", "fa-IR", "th-TH-u-ca-buddhist-nu-thai")) {
            inLocale(tag) {
                assertEquals(1_769_860_800_000, httpDateFrom("Sat, 31 Jan 2026 12:00:00 GMT"))
                assertEquals(1_709_202_030_000, httpDateFrom("Thu, 29 Feb 2024 10:20:30 GMT"))
            }
        }
        for (text in listOf("", "soon", "Sat, 31 anF 2026 12:00:00 GMT", "Sat, 31 Jan 2026 12:00 GMT", "Sat, ٣١ Jan 2026 12:00:00 GMT")) {
            assertNull(text, httpDateFrom(text))
        }
    }
}
