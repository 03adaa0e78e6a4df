package tech.sluice

import android.content.Context
import android.net.ConnectivityManager
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotSame
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@Config(sdk = [35])
class CloseTest : AppTest() {
    private val connectivity get() = app.getSystemService(Context.CONNECTIVITY_SERVICE) as ConnectivityManager
    private val callbacks get() = shadowOf(connectivity).networkCallbacks.size

    private fun threads(): List<Thread> = Thread.getAllStackTraces().keys.filter { it.isAlive && it.name.startsWith("sluice") }

    @Test
    fun `close gives back what create took, however often`() {
        val receivers = shadowOf(app).registeredReceivers.size
        repeat(5) {
            val client = create()
            client.track("e")
            await("the callback of the network") { callbacks == 1 }
            assertEquals(0, client.close().get(20, TimeUnit.SECONDS).left)
            assertNull(Sluice.client)
            await("the callback is given back") { callbacks == 0 }
            assertFalse(Notification.handle(mapOf("source" to "sluice-push", "id" to "t", "title" to "Hello")))
        }
        assertEquals(receivers, shadowOf(app).registeredReceivers.size)
        repeat(5) { Sluice.create(app, Configuration(null, null, null)) }
        await("the threads end") { threads().isEmpty() }
        assertEquals(5, service.events.count { it == "e" })
    }

    @Test
    fun `a client that is made while another closes is a new one`() {
        val first = create()
        val closing = first.close()
        val second = create()
        assertNotSame(first, second)
        assertSame(second, Sluice.client)
        assertTrue(second.track("e"))
        closing.get(20, TimeUnit.SECONDS)
        assertEquals(0, second.flush().get(20, TimeUnit.SECONDS).left)
        assertSame(second, Sluice.client)
        assertEquals(listOf("e"), service.events)
    }

    @Test
    fun `what was taken before a crash is in a file, and the app's handler gets the crash`() {
        val before = Thread.getDefaultUncaughtExceptionHandler()
        val crashes = ArrayList<Throwable>()
        val ofApp = Thread.UncaughtExceptionHandler { _, error -> crashes += error }
        Thread.setDefaultUncaughtExceptionHandler(ofApp)
        try {
            service.isUp = false
            val client = create()
            await("the identity") { client.anonymousId != null }
            repeat(10) { client.track("before-$it") }
            val crash = IllegalStateException("the app crashes")
            Thread.getDefaultUncaughtExceptionHandler()!!.uncaughtException(Thread.currentThread(), crash)
            assertEquals(listOf<Throwable>(crash), crashes)
            val text = java.io.File(files, "queue").listFiles()!!.filter { it.name.endsWith(".batch") }.joinToString { it.readText() }
            assertTrue((0..9).all { "before-$it" in text })
            client.close().get(20, TimeUnit.SECONDS)
            assertSame(ofApp, Thread.getDefaultUncaughtExceptionHandler())
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before)
        }
    }

    @Test
    fun `a second create with other options says so, and obeys a stricter consent only`() {
        val client = create { consent = Consent.PENDING }
        assertSame(client, create { consent = Consent.GRANTED })
        client.track("e")
        client.flush().get(20, TimeUnit.SECONDS)
        assertEquals(emptyList<Arrived>(), service.arrived)
        assertEquals(emptyList<SluiceError>(), errors)
        create {
            consent = Consent.DENIED
            flushAt = 1
            notifications.color = 1
        }
        await("the reports") { errors.size == 2 }
        val error = errors.single { it.code == SluiceError.Code.INVALID }
        assertTrue(error.message, error.message.endsWith("flushAt, notifications.color"))
        assertEquals(1, errors.single { it.code == SluiceError.Code.DENIED }.count)
        assertFalse(client.track("e"))
    }

    @Test
    fun `a second create with another key or spelling is the same client, and its stricter consent counts`() {
        val client = create()
        val other = Configuration("another-key", " Source000001 ", "${service.url}/") { consent = Consent.DENIED }
        assertSame(client, Sluice.create(app, other))
        await("a report") { errors.isNotEmpty() }
        assertTrue(errors.single().message, errors.single().message.endsWith("apiKey"))
        assertFalse(client.track("e"))
    }
}
