package tech.sluice

import java.io.File
import java.nio.file.Files
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** Android Lint on the sources. Its check of API levels needs files of the Android SDK; animal-sniffer does that one. */
class LintTest {
    @Test
    fun `lint finds nothing`() {
        val folder = Files.createTempDirectory("lint").toFile()
        val report = File(folder, "report.txt")
        val sources = File(androidModule, "src/main/kotlin").walk().filter { it.extension == "kt" }.joinToString("") { "<src file=\"$it\"/>" }
        val project = File(folder, "project.xml")
        val framework = jar("android-all-")
        project.writeText(
            """<project><root dir="$androidModule"/><classpath jar="$framework"/>
            <module name="sluice" android="true" library="true" compile-sdk-version="35" minSdkVersion="23">
            <manifest file="src/main/AndroidManifest.xml"/>$sources
            <classpath file="${jar("kotlin-stdlib-")}"/><classpath file="$framework"/><classpath file="${jar("sluice-core-")}"/>
            </module></project>""",
        )
        val java = File(System.getProperty("java.home"), "bin/java").path
        val command =
            listOf(
                java, "-Xmx2g", "-cp", classPathText(), "com.android.tools.lint.Main", "--project", project.path, "--quiet", "--text", report.path,
                "--jdk-home", System.getProperty("java.home"), "--disable", DISABLED.joinToString(","),
            )
        val lint = ProcessBuilder(command).redirectErrorStream(true).redirectOutput(File(folder, "output.txt")).start()
        assertTrue("lint does not end", lint.waitFor(10, TimeUnit.MINUTES))
        val text = if (report.exists()) report.readText() else File(folder, "output.txt").readText()
        assertEquals("No issues found.", text.trim().removeSuffix("."). plus("."))
        assertEquals(0, lint.exitValue())
    }

    private companion object {
        /**
         * - `OldTargetApi`: the app names the target, not a library.
         * - `GradleDependency`: there is no Gradle project here.
         */
        val DISABLED = listOf("OldTargetApi", "GradleDependency")
    }
}
