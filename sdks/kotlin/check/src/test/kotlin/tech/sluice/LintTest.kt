package tech.sluice

import java.io.File
import java.nio.file.Files
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** Android Lint on the sources. Its check of API levels needs files of the Android SDK; animal-sniffer checks them. */
class LintTest {
    @Test
    fun `lint finds nothing in the SDK`() {
        val sources = File(androidModule, "src/main/kotlin").walk().filter { it.extension == "kt" }.toList()
        assertEquals("", lint(sources))
    }

    @Test
    fun `lint finds what is wrong`() {
        val wrong = File(Files.createTempDirectory("wrong").toFile(), "Wrong.kt")
        wrong.writeText("object Wrong { var leaked: android.content.Context? = null }")
        val found = lint(listOf(wrong))
        assertTrue(found, "StaticFieldLeak" in found)
    }

    /** The report of lint; empty if it says that it found nothing. A lint that crashed leaves a blank one. */
    private fun lint(sources: List<File>): String {
        val folder = Files.createTempDirectory("lint").toFile()
        val report = File(folder, "report.txt")
        val output = File(folder, "output.txt")
        val project = File(folder, "project.xml")
        project.writeText(projectOf(sources))
        val home = System.getProperty("java.home")
        val files = listOf("--project", project.path, "--text", report.path, "--jdk-home", home)
        val options = listOf("--quiet", "--disable", DISABLED.joinToString(","))
        val command = listOf("$home/bin/java", "-Xmx2g", "-cp", classPathText(), "com.android.tools.lint.Main") + files + options
        val lint = ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start()
        assertTrue("lint does not end", lint.waitFor(10, TimeUnit.MINUTES))
        val text = if (report.exists()) report.readText().trim() else ""
        assertTrue("lint said nothing: ${output.readText()}", text.isNotEmpty())
        return text.removePrefix("No issues found.")
    }

    private fun projectOf(sources: List<File>): String {
        val framework = jar("android-all")
        val classPath = listOf(jar("kotlin-stdlib"), framework, jar("sluice-core")).joinToString("") { "<classpath file=\"$it\"/>" }
        return """<project><root dir="$androidModule"/><classpath jar="$framework"/>
            <module name="sluice" android="true" library="true" compile-sdk-version="35" minSdkVersion="23">
            <manifest file="src/main/AndroidManifest.xml"/>${sources.joinToString("") { "<src file=\"$it\"/>" }}$classPath
            </module></project>"""
    }

    private companion object {
        /**
         * - `OldTargetApi`: the app names the target, not a library.
         * - `GradleDependency`: there is no Gradle project here.
         */
        val DISABLED = listOf("OldTargetApi", "GradleDependency")
    }
}
