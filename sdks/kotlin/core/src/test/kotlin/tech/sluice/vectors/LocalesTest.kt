package tech.sluice.vectors

import java.util.TimeZone
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import tech.sluice.testing.inLocale

/** A locale with other digits, another calendar or another alphabet changes nothing on the wire: every vector holds. */
@RunWith(Parameterized::class)
class LocalesTest(private val tag: String, private val zone: String) {
    @get:Rule
    val folder = TemporaryFolder()

    @Test
    fun `every vector holds`() {
        val before = TimeZone.getDefault()
        TimeZone.setDefault(TimeZone.getTimeZone(zone))
        try {
            inLocale(tag) {
                VectorsTest.vectors().forEach { (name, vector) ->
                    try {
                        VectorRun(vector as Map<*, *>, folder.newFolder()).run()
                    } catch (error: AssertionError) {
                        throw AssertionError("$name: ${error.message}", error)
                    }
                }
            }
        } finally {
            TimeZone.setDefault(before)
        }
    }

    companion object {
        @JvmStatic
        @Parameterized.Parameters(name = "{0}")
        fun locales(): List<Array<String>> =
            listOf(
                arrayOf("fa-IR", "Asia/Tehran"),
                arrayOf("ar-EG-u-nu-arab", "Africa/Cairo"),
                arrayOf("th-TH-u-ca-buddhist-nu-thai", "Asia/Bangkok"),
                arrayOf("tr-TR", "Europe/Istanbul"),
            )
    }
}
