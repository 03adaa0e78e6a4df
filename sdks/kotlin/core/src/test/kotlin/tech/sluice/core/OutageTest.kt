package tech.sluice.core

import java.io.File
import javax.net.ssl.SSLHandshakeException
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import tech.sluice.Client
import tech.sluice.SluiceError
import tech.sluice.file.FileBatchStore
import tech.sluice.file.FileValueStore
import tech.sluice.net.SystemRandomness
import tech.sluice.testing.JvmFolderSync
import tech.sluice.vectors.FakeTime

/** Costs of an outage in files and requests. */
class OutageTest {
    @get:Rule
    val temporary = TemporaryFolder()
    private val time = FakeTime(1_769_860_800_000)
    private val bodies = ArrayList<String>()
    private var isUp = false

    /** Text of the messages that pass although the service is down. */
    private var passing: String? = null
    private var listings = 0
    private val errors = ArrayList<SluiceError>()

    private object Stored : HttpAnswer {
        override val status = 200
        override val body = """{"status":"QUEUED"}"""

        override fun header(name: String): String? = null
    }

    private fun aClient(): Client {
        val transport =
            Transport { request, done ->
                val isStored = isUp || passing?.let { it in request.body.orEmpty() } == true
                if (isStored) bodies += request.body.orEmpty()
                done(if (isStored) Stored else null, SSLHandshakeException("Trust anchor not found").takeUnless { isStored })
                Cancellation { }
            }
        val files = FileBatchStore(File(temporary.root, "queue"), JvmFolderSync)
        val queue =
            object : BatchStore by files {
                override fun list(known: Set<String>, lost: (count: Int, cause: String) -> Unit): List<Batch> {
                    listings++
                    return files.list(known, lost)
                }
            }
        val values = FileValueStore(File(temporary.root, "values"), "s")
        val ports = Ports(SdkName("test", "1"), time.worker { true }, SystemRandomness, values, queue, transport)
        return Client(Options("k", "Source000001", "https://sluice.test", flushAt = 20, flushInterval = 10_000, errorHandler = { errors += it }), ports)
    }

    private fun files(): Int = File(temporary.root, "queue").list().orEmpty().count { it.endsWith(".batch") }

    @Test
    fun `sparse events of an outage share batches, and come once when it is over`() {
        val client = aClient()
        repeat(300) {
            client.track("e$it")
            time.advance(11_000)
        }
        assertTrue("${files()} files", files() <= 20)
        isUp = true
        time.advance(10 * 60_000)
        assertEquals(0, files())
        assertTrue("${bodies.size} requests", bodies.size <= 20)
        val names = bodies.flatMap { (parseJson(it) as Map<*, *>)["list"] as List<*> }.map { (it as Map<*, *>)["event"] }
        assertEquals((0 until 300).map { "e$it" }.toSet(), names.toSet())
        assertEquals(300, names.size)
    }

    @Test
    fun `an outage is reported with its cause`() {
        aClient().track("e")
        time.advance(60 * 60_000)
        val error = errors.single { it.code == SluiceError.Code.UNREACHABLE }
        assertEquals("https://sluice.test: no answer of the service: SSLHandshakeException Trust anchor not found", error.message)
        assertTrue(error.cause is SSLHandshakeException)
    }

    @Test
    fun `a batch that keeps failing does not hold up the next events`() {
        passing = "second"
        val client = aClient()
        client.track("first")
        time.advance(60_000)
        client.track("second")
        time.advance(10 * 60_000)
        assertEquals(1, bodies.size)
    }

    @Test
    fun `a return to the foreground lists names, and reads only files that are new`() {
        val client = aClient()
        client.track("e")
        time.advance(60_000)
        val before = listings
        repeat(5) {
            client.handle(LifecycleEvent.SHOW)
            time.advance(1_000)
        }
        assertEquals(before, listings)
        val other = FileBatchStore(File(temporary.root, "queue"), JvmFolderSync)
        other.append(Batch("other", "https://sluice.test", "Source000001", BatchKind.TRACK, 1), 0, """{"event":"other"}""")
        client.handle(LifecycleEvent.SHOW)
        time.settle()
        assertEquals(before + 1, listings)
        isUp = true
        time.advance(10 * 60_000)
        assertTrue(bodies.any { "other" in it })
    }
}
