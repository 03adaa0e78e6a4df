package tech.sluice.net

import java.io.File
import java.net.ConnectException
import java.net.InetAddress
import java.net.ServerSocket
import java.net.UnknownHostException
import java.util.Random
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.zip.GZIPInputStream
import javax.net.ssl.SSLException
import kotlin.concurrent.thread
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import tech.sluice.core.HttpAnswer
import tech.sluice.core.HttpRequest
import tech.sluice.core.Meaning
import tech.sluice.core.readVerdict

/**
 * Checks what the platform's HTTP client does by itself. It must not repeat a batch: the service may have stored the
 * first request, and the answer to the second would hide that. Both ways to write a body are tested; apps stream it.
 */
@RunWith(Parameterized::class)
class HttpTransportTest(private val isStreaming: Boolean) {
    private val threads = Executors.newCachedThreadPool { work -> Thread(work).apply { isDaemon = true } }
    private val transport = HttpTransport(threads, isStreaming)
    private val servers = ArrayList<RawServer>()

    @After
    fun end() {
        servers.forEach { it.close() }
        threads.shutdownNow()
    }

    private fun serving(vararg steps: Step): RawServer = RawServer(*steps).also { servers += it }

    private val random = Random(1)

    /** A body that stays long when it is packed. */
    private fun aBody(): String = String(CharArray(48 * 1_024) { 'a' + random.nextInt(26) })

    /** Why the last request had no answer. */
    private var failure: Throwable? = null

    private fun send(server: RawServer, key: String = "a", body: String = aBody()): HttpAnswer? = send(server.url, key, body)

    private fun send(url: String, key: String, body: String): HttpAnswer? {
        val answer = CompletableFuture<HttpAnswer?>()
        val headers = mapOf("Authorization" to "Bearer k", "Idempotency-Key" to key)
        transport.send(HttpRequest("POST", url, headers, body)) { known, cause ->
            failure = cause
            answer.complete(known)
        }
        return answer.get(20, TimeUnit.SECONDS)
    }

    @Test
    fun `a refusal arrives with its body and headers, after one request`() {
        for (status in listOf(400, 403, 404, 405, 408, 413, 415, 417, 429, 431, 500, 502, 503)) {
            val server = serving(Step(answerOf(status, "Retry-After: 7", "X-Request-Id: r")))
            val answer = send(server)
            assertEquals(listOf(status, REFUSAL, "7", "r"), listOf(answer?.status, answer?.body, answer?.header("retry-after"), answer?.header("x-request-id")))
            assertEquals(listOf("a"), server.arrived.toList())
        }
    }

    @Test
    fun `a body above 1 KB is packed, a shorter one is not`() {
        for ((length, encoding) in listOf(1_024 to "", 1_025 to "gzip", 48 * 1_024 to "gzip")) {
            val text = aBody().take(length)
            val server = serving(Step(answerOf(200)))
            assertEquals(200, send(server, body = text)?.status)
            assertEquals(encoding, server.encodings.single())
            val sent = server.bodies.single()
            assertEquals(text, String(if (encoding == "gzip") GZIPInputStream(sent.inputStream()).readBytes() else sent))
        }
    }

    @Test
    fun `a 401 is asked for no other credentials`() {
        for (challenge in listOf("X: y", "WWW-Authenticate: Bearer", "WWW-Authenticate: Basic realm=\"s\"")) {
            val server = serving(Step(answerOf(401, challenge)))
            // A JVM that streams loses the body; Android's client does not.
            assertEquals(challenge, if (isStreaming) Meaning.UNKNOWN else Meaning.UNAUTHORIZED, readVerdict(send(server)).meaning)
            assertEquals(challenge, listOf("a"), server.arrived.toList())
        }
    }

    @Test
    fun `an answer that comes before the body was read is the answer`() {
        for (status in listOf(413, 503)) {
            val server = serving(Step(answerOf(status, "Connection: close"), isClosing = true, isBodyRead = false))
            assertEquals(status, send(server)?.status)
            assertEquals(listOf("a"), server.arrived.toList())
        }
    }

    @Test
    fun `a batch whose answer is lost is not repeated, on a new connection or a kept one`() {
        val cut = answerOf(200).dropLast(3)
        for (lost in listOf(Step(null), Step(cut, isClosing = true), Step("HTTP/1.1 2", isClosing = true))) {
            val new = serving(lost)
            assertEquals(Meaning.UNKNOWN, readVerdict(send(new)).meaning)
            assertEquals(listOf("a"), new.arrived.toList())
            val kept = serving(Step(answerOf(200)), lost)
            assertEquals(200, send(kept)?.status)
            assertEquals(Meaning.UNKNOWN, readVerdict(send(kept, "b")).meaning)
            assertEquals(200, send(kept, "c")?.status)
            assertEquals(listOf("a", "b", "c"), kept.arrived.toList())
        }
    }

    @Test
    fun `a kept connection that the server has closed takes no batch twice, and holds up no later one`() {
        val server = serving(Step(answerOf(200), isClosing = true), Step(answerOf(200), isClosing = true))
        assertEquals(200, send(server)?.status)
        Thread.sleep(50)
        // The client may or may not see in time that the connection is closed.
        val second = send(server, "b")
        Thread.sleep(50)
        assertEquals(if (second == null) 0 else 1, server.arrived.count { it == "b" })
        while (send(server, "c") == null) Thread.sleep(10)
        assertEquals(1, server.arrived.count { it == "c" })
    }

    @Test
    fun `a redirect is not an answer, and is not followed`() {
        val other = serving()
        for (status in listOf(301, 302, 303, 307, 308)) {
            val server = serving(Step(answerOf(status, "Location: ${other.url}/")))
            assertNull(send(server))
            assertEquals("redirected to ${other.url}", failure?.message)
        }
        assertEquals(emptyList<String>(), other.arrived.toList())
    }

    @Test
    fun `redirects leave no connection open`() {
        val descriptors = File("/proc/self/fd")
        val server = serving(*Array(200) { Step(answerOf(302, "Location: /elsewhere")) })
        send(server)
        val before = descriptors.list().orEmpty().size
        repeat(199) { assertNull(send(server, body = "{}")) }
        assertEquals("redirected to ${server.url}", failure?.message)
        // The server of the test closes its side a moment later.
        val end = System.nanoTime() + 10_000_000_000
        while (descriptors.list().orEmpty().size > before + 20 && System.nanoTime() < end) Thread.sleep(10)
        assertTrue("${descriptors.list().orEmpty().size} descriptors, $before before", descriptors.list().orEmpty().size <= before + 20)
    }

    @Test
    fun `without an answer the cause is known`() {
        val closed = RawServer().also { it.close() }
        ServerSocket(0, 50, InetAddress.getLoopbackAddress()).use { plain ->
            thread(isDaemon = true) { plain.accept().use { it.getOutputStream().write("HTTP/1.1 400 no TLS here".toByteArray()) } }
            val causes = mapOf(
                closed.url to ConnectException::class.java,
                "http://no-such-host.invalid" to UnknownHostException::class.java,
                "https://127.0.0.1:${plain.localPort}" to SSLException::class.java,
            )
            for ((url, type) in causes) {
                assertNull(send(url, "a", "{}"))
                assertTrue("$url: $failure", type.isInstance(failure))
            }
        }
    }

    @Test
    fun `a request that is cancelled while it waits for a thread is not made`() {
        val server = serving()
        val waiting = ArrayList<Runnable>()
        var isDone = false
        val call = HttpTransport(waiting::add, isStreaming).send(HttpRequest("GET", server.url, emptyMap(), null)) { answer, _ -> isDone = answer == null }
        call.cancel()
        waiting.single().run()
        assertTrue(isDone)
        assertEquals(emptyList<String>(), server.arrived.toList())
    }

    companion object {
        @JvmStatic
        @Parameterized.Parameters(name = "streaming {0}")
        fun ways(): List<Array<Any>> = listOf(arrayOf(false), arrayOf(true))
    }
}
