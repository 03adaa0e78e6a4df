package tech.sluice.vectors

import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale
import java.util.TimeZone
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import tech.sluice.SluiceError
import tech.sluice.core.parseJson
import tech.sluice.testing.inLocale

/** A locale with other digits, another calendar or another alphabet changes nothing on the wire. */
@RunWith(Parameterized::class)
class LocalesTest(private val tag: String, private val zone: String, private val prefixes: List<String>) {
    @get:Rule
    val folder = TemporaryFolder()

    @Test
    fun `the vectors hold`() {
        abroad { chosen().forEach { (name, vector) -> run(name, vector) } }
    }

    @Test
    fun `a day is the same on the wire`() {
        // The first day of the Persian year 1405, in UTC.
        val start = millisOf("2026-03-21T00:00:00.000Z")
        val world = VectorWorld(mapOf("clock" to "2026-03-21T00:00:00.000Z"), folder.newFolder())
        abroad {
            world.start("app", mapOf("flushAt" to 100L, "flushInterval" to 3_600_000L))
            for (minute in 0 until 1_440) {
                assertTrue(world.of("app").client.track("minute", mapOf("n" to minute, "half" to minute + 0.5, "city" to "تهران")))
                world.time.advance(60_000)
            }
            world.time.advance(3_600_000)
        }
        val messages = world.requests.flatMap { ((parseJson(it.body.orEmpty()) as Map<*, *>)["list"] as List<*>).map { one -> one as Map<*, *> } }
        assertEquals(List(1_440) { isoOf(start + it * 60_000L) }, messages.map { it["timestamp"] })
        assertEquals(List(1_440) { mapOf("n" to it.toLong(), "half" to it + 0.5, "city" to "تهران") }, messages.map { it["properties"] })
        assertTrue(world.requests.all { request -> request.body.orEmpty().all { !it.isDigit() || it in '0'..'9' } })
        assertEquals(emptyList<SluiceError>(), world.reports)
    }

    private fun isoOf(ms: Long): String = iso.format(Instant.ofEpochMilli(ms))

    /** Runs [work] on a device of this locale and time zone. */
    private fun abroad(work: () -> Unit) {
        val before = TimeZone.getDefault()
        TimeZone.setDefault(TimeZone.getTimeZone(zone))
        try {
            inLocale(tag, work)
        } finally {
            TimeZone.setDefault(before)
        }
    }

    private fun chosen() = VectorsTest.vectors().filter { (name) -> prefixes.any { (name as String).startsWith(it) } }

    private fun run(name: Any, vector: Any) {
        try {
            VectorRun(vector as Map<*, *>, folder.newFolder()).run()
        } catch (error: AssertionError) {
            throw AssertionError("$name: ${error.message}", error)
        }
    }

    companion object {
        private val iso = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC)
        private val all = listOf("")
        private val texts = listOf("envelope", "validation", "push")

        @JvmStatic
        @Parameterized.Parameters(name = "{0}")
        fun locales(): List<Array<Any>> =
            listOf(
                arrayOf("fa-IR", "Asia/Tehran", all),
                arrayOf("ar-EG-u-nu-arab", "Africa/Cairo", texts),
                arrayOf("th-TH-u-ca-buddhist-nu-thai", "Asia/Bangkok", texts),
                arrayOf("tr-TR", "Europe/Istanbul", texts),
            )
    }
}
