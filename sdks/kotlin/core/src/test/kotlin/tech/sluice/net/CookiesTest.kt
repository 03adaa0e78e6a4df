package tech.sluice.net

import java.net.CookieHandler
import java.net.CookieManager
import java.net.CookiePolicy
import java.net.HttpCookie
import java.net.HttpURLConnection
import java.net.URI
import java.net.URL
import java.net.URLConnection
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertSame
import org.junit.Test
import tech.sluice.core.HttpRequest

/** An app may set a CookieHandler for its process. Its cookies are not for the service, nor the service's for it. */
class CookiesTest {
    private val before = CookieHandler.getDefault()
    private val server = RawServer(
        Step(answerOf(200, COOKIE)), Step(answerOf(503, COOKIE)), Step(answerOf(302, COOKIE, "Location: /elsewhere")),
        Step(answerOf(302, COOKIE, "Location: /elsewhere")), Step(answerOf(200, COOKIE)),
    )
    private val jar = CookieManager(null, CookiePolicy.ACCEPT_ALL).also {
        it.cookieStore.add(URI(server.url), HttpCookie("session", "secret").apply { path = "/"; version = 0 })
    }

    @After
    fun end() {
        CookieHandler.setDefault(before)
        server.close()
    }

    @Test
    fun `requests and redirects neither send nor take cookies`() {
        CookieHandler.setDefault(jar)
        repeat(3) { send() }
        assertEquals(200, statusOf(openWithoutCookies(URL(server.url))))
        assertEquals(List(5) { "" }, server.cookies.toList())
        assertEquals(listOf("session=secret"), jar.cookieStore.cookies.map { it.toString() })
        assertSame(jar, CookieHandler.getDefault())
    }

    @Test
    fun `the app's own requests keep their cookies while the SDK sends`() {
        CookieHandler.setDefault(jar)
        val service = RawServer()
        val sending = thread { repeat(500) { statusOf(openWithoutCookies(URL(service.url))) } }
        val own = RawServer()
        do statusOf(URL(own.url).openConnection()) while (sending.isAlive)
        assertEquals(setOf("session=secret"), own.cookies.toSet())
        assertEquals(setOf(""), service.cookies.toSet())
        listOf(service, own).forEach { it.close() }
    }

    @Test
    fun `a handler that the app sets at that moment stays`() {
        val sending = thread { repeat(20_000) { openWithoutCookies(URL(server.url)) } }
        do {
            val handler = CookieManager()
            CookieHandler.setDefault(handler)
            assertSame(handler, CookieHandler.getDefault())
        } while (sending.isAlive)
    }

    private fun send() {
        val answered = CompletableFuture<Unit>()
        HttpTransport(Executor { it.run() }, isStreaming = true).send(HttpRequest("POST", server.url, emptyMap(), "{}")) { _, _ -> answered.complete(Unit) }
        answered.get(20, TimeUnit.SECONDS)
    }

    private fun statusOf(connection: URLConnection): Int =
        (connection as HttpURLConnection).run { responseCode.also { inputStream.close() } }
}

private const val COOKIE = "Set-Cookie: service=1; Path=/"
