package tech.sluice

import java.io.File
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import org.junit.Assert.assertEquals
import org.junit.Test

/** The public interface is a file under review. `API_WRITE=1 mvn test -Dtest=ApiTest` writes it. */
class ApiTest {
    @Test
    fun `the public interface is the one on file`() {
        val now = StringBuilder()
        val classes = File("target/classes").walk().filter { it.extension == "class" }.toList()
        val internal = AbiFilters(emptySet(), emptySet(), emptySet(), setOf("tech.sluice.InternalSluiceApi"))
        AbiTools.getInstance(javaClass.classLoader).printJvmDump(now, classes, internal)
        val file = File("api/sluice-android.api")
        if (System.getenv("API_WRITE") != null) {
            file.parentFile.mkdirs()
            file.writeText(now.toString())
        }
        assertEquals(file.readText(), now.toString())
    }
}
