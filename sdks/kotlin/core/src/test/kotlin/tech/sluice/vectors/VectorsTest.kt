package tech.sluice.vectors

import java.io.File
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import tech.sluice.core.parseJson
import tech.sluice.testing.contractFile

/** Every vector of the contract that applies to Android, with files as the store. */
@RunWith(Parameterized::class)
class VectorsTest(@Suppress("unused") private val name: String, private val vector: Map<*, *>) {
    @get:Rule
    val folder = TemporaryFolder()

    @Test
    fun vector() {
        VectorRun(vector, folder.root).run()
    }

    companion object {
        @JvmStatic
        @Parameterized.Parameters(name = "{0}")
        fun vectors(): List<Array<Any>> =
            contractFile("vectors").listFiles { file -> file.extension == "json" }.orEmpty().sorted().flatMap(::vectorsIn)

        private fun vectorsIn(file: File): List<Array<Any>> {
            val vectors = (parseJson(file.readText()) as Map<*, *>)["vectors"] as List<*>
            return vectors
                .flatMap { vectorsOf(it as Map<*, *>) }
                .filter { "android" in (it["platform"] as List<*>? ?: listOf("android")) }
                .map { arrayOf("${file.nameWithoutExtension}: ${it["name"]}", it) }
        }
    }
}
