package tech.sluice

import android.content.Intent
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotSame
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Robolectric
import org.robolectric.annotation.Config

/** A push message, a tap or a job starts the process before the app has made its client. */
@Config(sdk = [35])
class StoredClientTest : AppTest() {
    private val seen = CopyOnWriteArrayList<String?>()
    private val received = CopyOnWriteArrayList<NotificationInteraction>()
    private val clicked = NotificationInteraction(NotificationInteraction.Kind.CLICKED, "token-1", null, null, mapOf("coupon" to "X"))

    /** Files that an earlier process of the app has left. */
    private fun beginEarlier() {
        Sluice.create(app, Configuration("old-key", "Source000001", service.url))
        await("the configuration") { files.resolve("configuration.json").exists() }
        Sluice.forget()
    }

    private fun handle(id: String = "token-1") {
        Thread { assertTrue(Notification.handle(app, mapOf("source" to "sluice-push", "id" to id, "title" to "Hello"))) }.also { it.start() }.join()
    }

    private fun createOwn(configure: Configuration.() -> Unit = {}): Client =
        create {
            plugins = listOf(
                Plugin { message ->
                    seen += message.event
                    message.copy(properties = message.properties.orEmpty() - "email")
                },
            )
            notifications.listener = NotificationListener { received += it }
            configure()
        }

    private fun namesAtService(): List<String> =
        service.arrived.flatMap { request -> request.messages.mapIndexed { index, message -> "${request.key} $index" to message["event"] as String } }
            .toMap().values.sorted()

    @Test
    fun `the app's own client takes the place of the one that a push message made`() {
        beginEarlier()
        handle()
        val stored = Sluice.client
        service.isUp = false
        stored?.track("before")
        await("a file") { batches().isNotEmpty() }
        val client = createOwn()
        assertNotSame(stored, client)
        assertSame(client, Sluice.client)
        assertSame(client, createOwn())
        assertTrue(client.track("signup", mapOf("email" to "someone@example.org", "plan" to "pro")))
        // Before the ids are read, a call waits and returns true.
        await("the ids") { client.anonymousId != null }
        assertFalse(client.track("not a name"))
        await("the handler") { errors.any { it.code == SluiceError.Code.INVALID && it.message.contains("event") } }
        stored?.flush()?.get(20, TimeUnit.SECONDS)
        service.arrived.clear()
        service.isUp = true
        await("all events") {
            passMinutes()
            client.flush().get(20, TimeUnit.SECONDS)
            namesAtService() == listOf("bb_notification_delivered", "before", "signup")
        }
        assertEquals(mapOf("plan" to "pro"), service.eventsNamed("signup").first()["properties"])
        assertTrue("signup" in seen)
        assertEquals(setOf("Bearer key-of-the-test"), service.arrived.filter { it.method == "POST" }.map { it.authorization }.toSet())
        assertEquals(emptyList<String>(), batches())
        assertEquals(1, service.arrived.flatMap { it.messages }.map { it["anonymousId"] }.toSet().size)
    }

    @Test
    fun `a tap that started the process reaches the app's own listener`() {
        beginEarlier()
        Robolectric.buildActivity(NotificationClickActivity::class.java, clicked.writeTo(Intent())).create()
        await("the callback") { "click?token=token-1" in service.callbacks }
        createOwn()
        await("the listener") { received.isNotEmpty() }
        assertEquals(listOf(clicked), received.toList())
    }

    @Test
    fun `the app's own consent counts, and its handler gets what a denial erases`() {
        beginEarlier()
        service.isUp = false
        handle()
        await("a file") { batches().isNotEmpty() }
        createOwn { consent = Consent.DENIED }
        await("erased files") { batches().isEmpty() }
        await("a report") { errors.any { it.code == SluiceError.Code.DENIED && it.count == 1 } }
    }

    @Test
    fun `a host that the app has changed takes the place of the stored one too`() {
        beginEarlier()
        handle()
        val stored = Sluice.client
        Sluice.create(app, Configuration("new-key", "Source000001", service.url.replace("127.0.0.1", "localhost")))
        assertFalse(stored!!.track("late"))
        assertEquals(1, Sluice.open().size)
    }

    @Test
    fun `a process of its own for push messages shares the queue and the ids, and its denial spares other sources`() {
        service.isUp = false
        val main = create()
        val ads = Sluice.create(app, Configuration("k", "Source000002", service.url) { errorHandler = ErrorHandler { errors += it } })
        await("the ids") { main.deviceId != null && ads.deviceId != null }
        // The registry of clients is that of one process, so this client is not in it.
        val push = Installation(app, Configuration("key-of-the-test", "Source000001", service.url), isStored = true)
        push.begin()
        await("the ids") { push.client.deviceId != null }
        assertEquals(main.deviceId, push.client.deviceId)
        main.track("of_main")
        push.client.track("of_push")
        ads.track("of_ads")
        await("the files") { batches().size == 3 }
        push.client.close().get(20, TimeUnit.SECONDS)
        service.isUp = true
        await("the arrivals") {
            passMinutes()
            // The app comes back, and looks at what other processes have left.
            main.handle(tech.sluice.core.LifecycleEvent.SHOW)
            main.flush().get(20, TimeUnit.SECONDS)
            namesAtService() == listOf("of_main", "of_push")
        }
        assertEquals(1, batches().size)
        main.consent(Consent.DENIED)
        ads.flush().get(20, TimeUnit.SECONDS)
        await("the other source") {
            passMinutes()
            ads.flush().get(20, TimeUnit.SECONDS)
            "of_ads" in service.events
        }
        assertEquals(emptyList<SluiceError>(), errors.filter { it.code == SluiceError.Code.DENIED })
    }

    @Test
    fun `a denial in one of two clients erases its own events, and says how many`() {
        service.isUp = false
        val main = create()
        val ads = Sluice.create(app, Configuration("k", "Source000002", service.url))
        repeat(3) { main.track("of_main") }
        repeat(30) { ads.track("of_ads") }
        main.flush().get(20, TimeUnit.SECONDS)
        ads.flush().get(20, TimeUnit.SECONDS)
        main.consent(Consent.DENIED)
        await("a report") { errors.any { it.code == SluiceError.Code.DENIED } }
        assertEquals(3, errors.single { it.code == SluiceError.Code.DENIED }.count)
        service.isUp = true
        await("all of the other source") {
            passMinutes()
            ads.flush().get(20, TimeUnit.SECONDS)
            service.arrived.map { it.key to it.messages.size }.toSet().sumOf { it.second } >= 30 && batches().isEmpty()
        }
    }
}
