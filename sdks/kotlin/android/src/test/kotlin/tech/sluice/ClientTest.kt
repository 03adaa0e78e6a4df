package tech.sluice

import android.app.Activity
import android.app.job.JobScheduler
import android.content.Context
import android.content.Intent
import java.io.File
import java.util.Locale
import java.util.concurrent.TimeUnit
import org.json.JSONArray
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Robolectric
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

class ClientTest : AppTest() {
    @Test
    @Config(sdk = [35])
    fun `blank credentials in every combination make a disabled client that says so once`() {
        val blank = listOf(null, "", " \n")
        for (key in blank + "k") for (source in blank + "Source000001") for (host in blank + service.url) {
            if (key == "k" && source == "Source000001" && host == service.url) continue
            val reported = java.util.concurrent.CopyOnWriteArrayList<SluiceError.Code>()
            val client = Sluice.create(app, Configuration(key, source, host) { errorHandler = ErrorHandler { reported += it.code } })
            assertTrue(client.isDisabled)
            assertFalse(client.track("e") || client.identify("u") || client.setDeviceToken("t"))
            client.reset()
            client.consent(Consent.DENIED)
            client.consent(Consent.GRANTED)
            client.use { it }
            assertNull(client.anonymousId ?: client.userId ?: client.deviceId)
            assertEquals(FlushResult(0, 0), client.flush().get(10, TimeUnit.SECONDS))
            assertEquals(FlushResult(0, 0), client.close().get(10, TimeUnit.SECONDS))
            assertEquals(listOf(SluiceError.Code.DISABLED), reported)
        }
        assertNull(Sluice.client)
        assertEquals(emptyList<Arrived>(), service.arrived)
        assertFalse(files.exists())
    }

    @Test
    fun `an event is in a file, then at the service, and the file is gone`() {
        val client = create()
        assertTrue(client.track("order_completed", mapOf("total" to 49.9, "items" to 3)))
        await("a file") { batches().size == 1 }
        assertEquals(FlushResult(1, 0), client.flush().get(20, TimeUnit.SECONDS))
        assertEquals(emptyList<String>(), batches())
        val message = service.arrived.single().messages.single()
        assertEquals(mapOf("total" to 49.9, "items" to 3L), message["properties"])
        val context = message["context"] as Map<*, *>
        assertEquals("sluice-android", (context["sdk"] as Map<*, *>)["name"])
        assertEquals(app.packageName, (context["app"] as Map<*, *>)["namespace"])
        assertEquals("Android", (context["os"] as Map<*, *>)["name"])
        assertEquals(emptyList<SluiceError>(), errors)
    }

    @Test
    fun `the next process has the same ids, and sends what the last one left`() {
        service.isUp = false
        val first = create()
        first.identify("u-1")
        first.track("left")
        first.flush().get(20, TimeUnit.SECONDS)
        val ids = listOf(first.anonymousId, first.deviceId, first.userId)
        Sluice.forget()
        service.isUp = true
        service.arrived.clear()
        val second = create()
        await("what was left") {
            passMinutes()
            second.flush().get(20, TimeUnit.SECONDS)
            "left" in service.events
        }
        assertEquals(ids, listOf(second.anonymousId, second.deviceId, second.userId))
    }

    @Test
    fun `what is left when the app goes is sent by a job, the same bytes under the same key`() {
        service.isUp = false
        val client = create()
        val activity = Robolectric.buildActivity(Activity::class.java).create().start().resume()
        client.track("left")
        activity.pause().stop()
        val jobs = app.getSystemService(Context.JOB_SCHEDULER_SERVICE) as JobScheduler
        await("a try") { service.arrived.isNotEmpty() }
        client.flush().get(20, TimeUnit.SECONDS)
        await("a job") { jobs.allPendingJobs.size == 1 }
        service.isUp = true
        val job = Robolectric.buildService(FlushJobService::class.java).create().get()
        await("the arrival") {
            // The batch waits for its next try, as after a real failure; the system tries the job again and again.
            passMinutes()
            assertTrue(job.onStartJob(null))
            client.flush().get(20, TimeUnit.SECONDS)
            batches().isEmpty()
        }
        assertEquals(1, service.arrived.map { it.key to it.body }.toSet().size)
    }

    @Test
    fun `a job sends what every client of the app left`() {
        service.isUp = false
        val clients = listOf(create(), Sluice.create(app, Configuration("k", "Source000002", service.url)))
        clients.forEach { it.track("left") }
        clients.forEach { it.flush().get(20, TimeUnit.SECONDS) }
        assertEquals(2, batches().size)
        service.isUp = true
        val job = Robolectric.buildService(FlushJobService::class.java).create().get()
        await("the arrivals") {
            passMinutes()
            assertTrue(job.onStartJob(null))
            batches().isEmpty()
        }
        assertEquals(setOf("Source000001", "Source000002"), service.arrived.map { it.uri.split("/")[4] }.toSet())
    }

    @Test
    fun `a locked device is unreadable, not empty`() {
        val id = create().let { client ->
            await("the identity") { client.anonymousId != null && File(files, "values").list().orEmpty().any { it.endsWith(".json") } }
            client.anonymousId
        }
        Sluice.forget()
        val moved = File(files.parentFile, "sluice-moved")
        assertTrue(files.renameTo(moved))
        files.writeText("no folder")
        val client = create()
        assertTrue(client.track("while_locked"))
        await("a report") { errors.any { it.code == SluiceError.Code.STORAGE && it.count == 0 } }
        assertNull(client.anonymousId)
        assertEquals(emptyList<Arrived>(), service.arrived)
        assertTrue(files.delete() && moved.renameTo(files))
        app.sendBroadcast(Intent(Intent.ACTION_USER_UNLOCKED))
        await("the identity") { client.anonymousId != null }
        assertEquals(id, client.anonymousId)
        client.flush()
        await("the event") { "while_locked" in service.events }
        assertEquals(id, service.eventsNamed("while_locked").single()["anonymousId"])
    }

    @Test
    fun `a day in fa-IR is the same on the wire`() {
        val before = Locale.getDefault()
        try {
            for (tag in listOf("fa-IR", "ar-EG-u-nu-arab", "th-TH-u-ca-buddhist-nu-thai")) {
                Locale.setDefault(Locale.forLanguageTag(tag))
                service.arrived.clear()
                val client = create()
                client.track("e", mapOf("n" to 1_234_567.5, "i" to 12))
                client.flush().get(20, TimeUnit.SECONDS)
                val request = service.arrived.single()
                assertTrue(request.body, request.body.contains("\"n\":1234567.5,\"i\":12"))
                val timestamp = request.messages.single()["timestamp"] as String
                assertTrue(timestamp, Regex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z").matches(timestamp))
                assertTrue(request.body, request.body.all { !it.isDigit() || it in '0'..'9' })
                Sluice.forget()
            }
        } finally {
            Locale.setDefault(before)
        }
    }

    @Test
    fun `the JSON types of Android are taken, and later changes are not`() {
        val client = create()
        val items = JSONArray(listOf(1, JSONObject.NULL))
        val properties = HashMap<String, Any?>(mapOf("o" to JSONObject(mapOf("a" to items))))
        client.track("e", properties)
        properties["later"] = true
        client.flush().get(20, TimeUnit.SECONDS)
        assertEquals(mapOf("o" to mapOf("a" to listOf(1L, null))), service.eventsNamed("e").single()["properties"])
    }

    @Test
    fun `a second call for the same source gives the same client, another source another`() {
        val client = create()
        assertSame(client, create())
        assertNotEquals(client, Sluice.create(app, Configuration("k", "Source000002", service.url)))
    }

    @Test
    @Config(sdk = [35])
    fun `a batch waits for 15 seconds, with debug for 2, unless the app has chosen`() {
        val of = { configure: Configuration.() -> Unit -> Configuration("k", "Source000001", service.url, configure).flushInterval }
        assertEquals(listOf(15_000L, 2_000L, 500L), listOf(of {}, of { debug = true }, of { flushInterval = 500; debug = true }))
        for ((isDebug, count) in listOf(true to 1, false to 0)) {
            service.arrived.clear()
            val client = create { debug = isDebug }
            await("the identity") { client.anonymousId != null }
            client.track("e")
            Thread.sleep(5_000)
            assertEquals(count, service.events.size)
            client.close().get(20, TimeUnit.SECONDS)
        }
    }

    @Test
    fun `denied consent leaves no file of a message or an identity`() {
        val client = create()
        client.track("e")
        await("a file") { batches().isNotEmpty() && File(files, "configuration.json").exists() }
        client.consent(Consent.DENIED)
        await("erased files") { files.walk().none { it.isFile && it.name != "lock" } }
        assertFalse(client.track("e"))
        assertNull(client.anonymousId)
    }
}
