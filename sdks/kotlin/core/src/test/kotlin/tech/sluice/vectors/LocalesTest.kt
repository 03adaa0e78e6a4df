package tech.sluice.vectors

import java.util.TimeZone
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import tech.sluice.testing.inLocale

/** A locale with other digits, another calendar or another alphabet changes nothing on the wire. */
@RunWith(Parameterized::class)
class LocalesTest(private val tag: String, private val zone: String, private val prefixes: List<String>) {
    @get:Rule
    val folder = TemporaryFolder()

    @Test
    fun `the vectors hold`() {
        val before = TimeZone.getDefault()
        TimeZone.setDefault(TimeZone.getTimeZone(zone))
        try {
            inLocale(tag) { chosen().forEach { (name, vector) -> run(name, vector) } }
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
