package tech.sluice

import android.graphics.Bitmap
import com.sun.net.httpserver.HttpServer
import java.io.ByteArrayOutputStream
import java.net.CookieHandler
import java.net.CookieManager
import java.net.CookiePolicy
import java.net.HttpCookie
import java.net.InetSocketAddress
import java.net.URI
import java.util.concurrent.Executors
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [35])
class ImageLoaderTest {
    @Test
    fun `an image behind slow redirects is given up in time`() {
        val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
        server.executor = Executors.newCachedThreadPool()
        server.createContext("/") { exchange ->
            Thread.sleep(300)
            exchange.responseHeaders.add("Location", "/${exchange.requestURI.path.drop(1).toInt() + 1}")
            exchange.sendResponseHeaders(302, -1)
            exchange.close()
        }
        server.start()
        val start = System.nanoTime()
        assertNull(loadImage("http://127.0.0.1:${server.address.port}/0", 1_000))
        assertTrue((System.nanoTime() - start) / 1_000_000 < 2_500)
        server.stop(0)
    }

    @Test
    fun `an image is loaded without cookies of the app`() {
        val cookies = ArrayList<String?>()
        val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
        server.createContext("/") { exchange ->
            cookies += exchange.requestHeaders.getFirst("Cookie")
            exchange.responseHeaders.add("Set-Cookie", "image=1; Path=/")
            exchange.responseHeaders.add("Location", "/picture")
            val isPicture = exchange.requestURI.path == "/picture"
            exchange.sendResponseHeaders(if (isPicture) 200 else 302, if (isPicture) 0 else -1)
            exchange.use { if (isPicture) it.responseBody.write(aPicture()) }
        }
        server.start()
        val url = "http://127.0.0.1:${server.address.port}/"
        val jar = CookieManager(null, CookiePolicy.ACCEPT_ALL)
        jar.cookieStore.add(URI(url), HttpCookie("session", "secret").apply { path = "/" })
        val before = CookieHandler.getDefault()
        CookieHandler.setDefault(jar)
        try {
            assertNotNull(loadImage(url))
        } finally {
            CookieHandler.setDefault(before)
            server.stop(0)
        }
        assertEquals(listOf(null, null), cookies)
        assertEquals(1, jar.cookieStore.cookies.size)
    }
}

internal fun aPicture(): ByteArray =
    ByteArrayOutputStream().also { Bitmap.createBitmap(4, 4, Bitmap.Config.ARGB_8888).compress(Bitmap.CompressFormat.PNG, 100, it) }.toByteArray()
