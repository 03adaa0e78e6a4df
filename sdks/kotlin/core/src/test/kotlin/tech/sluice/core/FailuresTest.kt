package tech.sluice.core

import java.io.File
import java.io.RandomAccessFile
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Proxy
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import tech.sluice.Client
import tech.sluice.Consent
import tech.sluice.ErrorHandler
import tech.sluice.FlushResult
import tech.sluice.Plugin
import tech.sluice.SluiceError
import tech.sluice.file.FileBatchStore
import tech.sluice.file.FileValueStore
import tech.sluice.net.SystemRandomness
import tech.sluice.net.SystemWorker
import tech.sluice.testing.JvmFolderSync
import tech.sluice.vectors.FakeTime

private const val MINUTES = 30 * 60_000L

/** Whatever the platform or the app throws, the next message is delivered and every flush ends. */
class FailuresTest {
    @get:Rule
    val temporary = TemporaryFolder()
    private val time = FakeTime(1_769_860_800_000)
    private val errors = ArrayList<SluiceError>()
    private val bodies = ArrayList<String>()
    private val folder: File get() = temporary.root
    private val queue: BatchStore get() = FileBatchStore(File(folder, "queue"), JvmFolderSync)
    private val values: ValueStore get() = FileValueStore(File(folder, "values"), "s")

    private val delivering =
        Transport { request, done ->
            bodies += request.body.orEmpty()
            done(Stored, null)
            Cancellation { }
        }

    private object Stored : HttpAnswer {
        override val status = 200
        override val body = """{"status":"QUEUED"}"""

        override fun header(name: String): String? = null
    }

    private fun aClient(
        transport: Transport = delivering,
        queue: BatchStore = this.queue,
        values: ValueStore = this.values,
        worker: Worker = time.worker { true },
        handler: ErrorHandler = ErrorHandler { errors += it },
        plugins: List<Plugin> = emptyList(),
        context: () -> Map<String, Any?> = { emptyMap() },
        agreed: (Consent) -> Unit = {},
    ): Client {
        val options = Options("k", "Source000001", "https://sluice.test", isDebugging = true, errorHandler = handler, plugins = plugins)
        val ports =
            Ports(
                SdkName("test", "1"), worker, SystemRandomness, values, queue, transport,
                context = context, agreed = agreed, log = { throw NoClassDefFoundError("the log") },
            )
        return Client(options, ports)
    }

    private fun flushed(client: Client): FlushResult? {
        var result: FlushResult? = null
        client.flush { result = it }
        time.settle()
        return result
    }

    /** A store that throws [error] at one call of [method]. */
    private inline fun <reified T> failing(real: T, method: String, at: Int, error: Throwable): T {
        var calls = 0
        return Proxy.newProxyInstance(javaClass.classLoader, arrayOf(T::class.java)) { _, called, args ->
            if (called.name == method && calls++ == at) throw error
            try {
                called.invoke(real, *args.orEmpty())
            } catch (failed: InvocationTargetException) {
                throw failed.targetException
            }
        } as T
    }

    private fun assertGoesOn(what: String, client: Client) {
        client.track("first")
        client.identify("u-1")
        time.settle()
        assertTrue("$what: the flush ends", flushed(client) != null)
        time.advance(MINUTES)
        client.track("last")
        assertTrue("$what: the next flush ends", flushed(client) != null)
        time.advance(MINUTES)
        assertTrue("$what: the last event arrives, errors $errors", bodies.any { "\"last\"" in it })
        assertEquals("$what: nothing is left", FlushResult(0, 0), flushed(client))
    }

    private val thrown = listOf(OutOfMemoryError("pthread_create failed"), IllegalStateException("closed"), StackOverflowError(), SecurityException("no"))

    @Test
    fun `a dropped value is reported as stored without it`() {
        val partly =
            object : HttpAnswer by Stored {
                override val body = """{"status":"QUEUED","dropped":[{"field":"list[0].properties.n","message":"x"}]}"""
            }
        val client = aClient({ _, done -> Cancellation { }.also { done(partly, null) } })
        client.track("e")
        time.settle()
        flushed(client)
        assertEquals(listOf("stored without list[0].properties.n: x"), errors.map { it.message })
    }

    @Test
    fun `a transport that throws is not an answer`() {
        for (error in thrown) {
            var calls = 0
            bodies.clear()
            assertGoesOn("$error", aClient({ request, done -> if (calls++ < 2) throw error else delivering.send(request, done) }))
        }
    }

    @Test
    fun `a queue may throw anything at any call`() {
        val methods = BatchStore::class.java.methods.map { it.name }.distinct()
        for (method in methods) for (at in 0..2) for (error in thrown) {
            File(folder, "queue").deleteRecursively()
            bodies.clear()
            errors.clear()
            val client = aClient(queue = failing(queue, method, at, error))
            assertGoesOn("$method at $at throws $error", client)
            val arrived = bodies.count { "\"first\"" in it }
            assertTrue("$method at $at throws $error: the first event arrives", arrived > 0)
        }
    }

    @Test
    fun `the values may throw anything at any call`() {
        for (method in listOf("read", "change")) for (at in 0..3) for (error in thrown) {
            File(folder, "values").deleteRecursively()
            bodies.clear()
            assertGoesOn("$method at $at throws $error", aClient(values = failing(values, method, at, error)))
            assertTrue("$method at $at throws $error: the first event arrives", bodies.any { "\"first\"" in it })
        }
    }

    @Test
    fun `an error handler, a listener of consent and a context may throw anything`() {
        assertGoesOn("handler", aClient(handler = { throw AssertionError("the handler") }, agreed = { throw AssertionError("agreed") }))
        var calls = 0
        bodies.clear()
        assertGoesOn("context", aClient(context = { if (calls++ == 0) throw StackOverflowError() else emptyMap() }))
        assertTrue(errors.any { it.code == SluiceError.Code.INVALID })
    }

    @Test
    fun `values that throw while they are read are reported, and stop nothing`() {
        val client = aClient()
        val text = object : CharSequence by "x" {
            override fun toString(): String = throw StackOverflowError()
        }
        time.settle()
        assertFalse(client.track("e", mapOf("a" to text)))
        assertGoesOn("a value", client)
    }

    @Test
    fun `a plugin may throw anything, and be slow without holding up other calls`() {
        val entered = CountDownLatch(1)
        val leave = CountDownLatch(1)
        val plugin =
            Plugin { message ->
                if (message.event == "error") throw NoClassDefFoundError("the plugin")
                if (message.event == "slow") {
                    entered.countDown()
                    leave.await()
                }
                message
            }
        val client = aClient(worker = SystemWorker(), plugins = listOf(plugin))
        while (client.anonymousId == null) Thread.sleep(1)
        assertFalse(client.track("error"))
        val slow = thread { assertTrue(client.track("slow")) }
        assertTrue(entered.await(10, TimeUnit.SECONDS))
        val others =
            thread {
                client.track("quick")
                client.identify("u-1")
                client.reset()
                client.anonymousId
            }
        others.join(10_000)
        assertFalse("others do not wait", others.isAlive)
        leave.countDown()
        slow.join()
        assertEquals(0, client.flush().get(20, TimeUnit.SECONDS).left)
        // The numbers are those of the order in which the messages were handed over.
        val texts = bodies.flatMap { ((parseJson(it) as Map<*, *>)["list"] as List<*>).map { one -> one as Map<*, *> } }
        val numbers = texts.associate { it["event"] to (((it["context"] as Map<*, *>)["sdk"] as Map<*, *>)["seq"]) }
        assertEquals(mapOf("quick" to 0L, null to 1L, "slow" to 2L), numbers)
    }

    @Test
    fun `a file that is too long for a batch is not read, and stops nothing`() {
        File(folder, "queue").mkdirs()
        RandomAccessFile(File(folder, "queue/huge.batch"), "rw").use { it.setLength(700L * 1_024 * 1_024) }
        File(folder, "values").mkdirs()
        RandomAccessFile(File(folder, "values/s.json"), "rw").use { it.setLength(700L * 1_024 * 1_024) }
        assertGoesOn("a huge file", aClient())
        assertEquals(listOf(0), errors.filter { it.code == SluiceError.Code.STORAGE }.map { it.count })
        assertTrue(File(folder, "queue/huge.batch").exists())
    }

    @Test
    fun `records of many tries do not make a file grow without bound`() {
        val store = queue
        val batch = Batch("key-1", "https://sluice.test", "Source000001", BatchKind.TRACK, 1)
        store.append(batch, 0, "{\"n\":0}")
        store.seal(batch)
        repeat(4_000) { assertEquals(it + 1, store.update(batch, 1)) }
        assertTrue(File(folder, "queue/key-1.batch").length() < 300_000)
        assertEquals(listOf("{\"n\":0}"), store.read("key-1"))
        assertEquals(4_000, store.list(emptySet()) { _, _ -> }.single().doubts)
    }

    @Test
    fun `a closed client takes nothing more, and gives back its worker's thread`() {
        val client = aClient(worker = SystemWorker())
        client.track("e")
        val closing = client.close()
        assertFalse(client.track("late"))
        assertEquals(FlushResult(1, 0), closing.get(20, TimeUnit.SECONDS))
        assertEquals(FlushResult(0, 0), client.flush().get(20, TimeUnit.SECONDS))
        assertEquals(FlushResult(0, 0), client.close().get(20, TimeUnit.SECONDS))
    }
}
