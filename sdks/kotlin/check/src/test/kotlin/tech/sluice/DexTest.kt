package tech.sluice

import com.android.tools.r8.CompilationMode
import com.android.tools.r8.D8
import com.android.tools.r8.D8Command
import com.android.tools.r8.JdkClassFileProvider
import com.android.tools.r8.OutputMode
import com.android.tools.r8.R8
import com.android.tools.r8.R8Command
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.zip.ZipFile
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** Runs the dexer and the shrinker of every app's build on the AAR, with its rules. */
class DexTest {
    private val jdk = JdkClassFileProvider.fromJdkHome(Path.of(System.getProperty("java.home")))
    private val work = Files.createTempDirectory("dex")

    /** A file of the AAR. */
    private fun unpacked(name: String): Path {
        val aar = File(androidModule, "target").listFiles()!!.single { it.extension == "aar" }
        val out = work.resolve(name)
        ZipFile(aar).use { zip -> zip.getInputStream(zip.getEntry(name)).use { Files.copy(it, out) } }
        return out
    }

    @Test
    fun `the AAR has what a build reads, and nothing of its dependencies`() {
        val aar = File(androidModule, "target").listFiles()!!.single { it.extension == "aar" }
        val names = ZipFile(aar).use { zip -> zip.entries().asSequence().map { it.name }.toSet() }
        assertEquals(setOf("AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt"), names)
        val classes = ZipFile(unpacked("classes.jar").toFile()).use { zip -> zip.entries().asSequence().map { it.name }.filter { it.endsWith(".class") }.toList() }
        assertTrue(classes.any { it == "tech/sluice/Sluice.class" } && classes.any { it == "tech/sluice/Client.class" })
        assertEquals(emptyList<String>(), classes.filterNot { it.startsWith("tech/sluice/") })
        println("AAR: ${aar.length()} bytes")
        val said = Regex("the AAR has (\\d+) KB").find(File(androidModule, "../README.md").readText())!!.groupValues[1].toLong()
        assertTrue("README.md says $said KB", Math.abs(aar.length() - said * 1_000) < 10_000)
    }

    @Test
    fun `D8 takes it`() {
        D8.run(
            D8Command.builder().addProgramFiles(unpacked("classes.jar")).addLibraryFiles(jar("android-all")).addLibraryResourceProvider(jdk)
                .addClasspathFiles(jar("kotlin-stdlib")).setMinApiLevel(23).setMode(CompilationMode.RELEASE).setOutput(work, OutputMode.DexIndexed).build(),
        )
        println("D8: ${Files.size(work.resolve("classes.dex"))} bytes of dex")
    }

    @Test
    fun `R8 takes it, and keeps what the system starts by name`() {
        val app = Files.writeString(work.resolve("app.txt"), "-keep class tech.sluice.Sluice { *; }\n-keep class tech.sluice.Client { *; }\n-keep class tech.sluice.Notification { *; }\n")
        R8.run(
            R8Command.builder().addProgramFiles(unpacked("classes.jar"), jar("kotlin-stdlib"), jar("annotations", "org.jetbrains")).addLibraryFiles(jar("android-all"))
                .addLibraryResourceProvider(jdk).addProguardConfigurationFiles(unpacked("proguard.txt"), app)
                .setMinApiLevel(23).setMode(CompilationMode.RELEASE).setOutput(work, OutputMode.DexIndexed).build(),
        )
        val dex = Files.readAllBytes(work.resolve("classes.dex"))
        val text = String(dex, Charsets.ISO_8859_1)
        for (name in listOf("NotificationClickActivity", "NotificationDismissReceiver", "FlushJobService")) assertTrue(name, "Ltech/sluice/$name;" in text)
        println("R8: ${dex.size} bytes of dex with what it needs of kotlin-stdlib")
        // Give a reason for raising it. The last 30 KB are for clients of several sources, other hosts, cookies of the host,
        // options that outlive the process for a push, and quotas.
        assertTrue("${dex.size} bytes", dex.size < 160_000)
    }
}
