package tech.sluice

import android.app.Activity
import android.content.Intent
import android.os.Looper
import java.io.File
import java.security.Permission
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Robolectric
import org.robolectric.annotation.Config

/** StrictMode would report each access to a file on the main thread of the app. */
@Config(sdk = [35])
@Suppress("DEPRECATION")
class MainThreadTest : AppTest() {
    private val found = CopyOnWriteArrayList<String>()

    /** Notes each access of the main thread to a file of the SDK. */
    private inner class Watch(private val main: Thread, private val folder: String) : SecurityManager() {
        override fun checkPermission(permission: Permission) = Unit

        override fun checkPermission(permission: Permission, context: Any?) = Unit

        override fun checkRead(file: String) = note(file)

        override fun checkWrite(file: String) = note(file)

        override fun checkDelete(file: String) = note(file)

        private fun note(file: String) {
            if (Thread.currentThread() === main && file.startsWith(folder)) found += file
        }
    }

    /** Files of the SDK that the main thread touches during [work]. */
    private fun touched(work: () -> Unit): List<String> {
        found.clear()
        System.setSecurityManager(Watch(Looper.getMainLooper().thread, files.path))
        try {
            work()
        } finally {
            System.setSecurityManager(null)
        }
        return found.toList()
    }

    @Test
    fun `what waits for a client is ended if no thread can be started`() {
        val noThreads = object : SecurityManager() {
            override fun checkPermission(permission: Permission) = Unit

            override fun checkPermission(permission: Permission, context: Any?) = Unit

            override fun checkAccess(group: ThreadGroup): Unit = throw OutOfMemoryError("unable to create native thread")
        }
        val ended = ArrayList<Installation?>()
        System.setSecurityManager(noThreads)
        try {
            Sluice.withInstallation(app) { ended += it }
        } finally {
            System.setSecurityManager(null)
        }
        assertEquals(listOf<Installation?>(null), ended)
    }

    @Test
    fun `the watch sees an access`() {
        assertEquals(listOf(File(files, "x").path), touched { File(files, "x").exists() })
    }

    @Test
    fun `no call of a client touches a file on the main thread`() {
        val seen = touched {
            val client = create()
            client.track("e", mapOf("n" to 1))
            client.identify("u-1")
            client.setDeviceToken("token")
            client.consent(Consent.PENDING)
            client.consent(Consent.GRANTED)
            client.reset()
            listOf(client.anonymousId, client.userId, client.deviceId)
            val activity = Robolectric.buildActivity(Activity::class.java).create().start().resume()
            activity.pause().stop()
            client.flush().get(20, TimeUnit.SECONDS)
            client.close().get(20, TimeUnit.SECONDS)
        }
        assertEquals(emptyList<String>(), seen)
        await("the event") { "e" in service.events }
    }

    @Test
    fun `nothing that the system starts in a new process touches a file on the main thread`() {
        create()
        await("the configuration") { files.resolve("configuration.json").exists() }
        val clicked = NotificationInteraction(NotificationInteraction.Kind.CLICKED, "token-1", null, null, emptyMap())
        val closed = clicked.copy(kind = NotificationInteraction.Kind.CLOSED)
        val starts = listOf<Pair<String, () -> Unit>>(
            "click?token=token-1" to { Robolectric.buildActivity(NotificationClickActivity::class.java, clicked.writeTo(Intent())).create() },
            "close?token=token-1" to { NotificationDismissReceiver().onReceive(app, closed.writeTo(Intent())) },
            "delivered?token=token-2" to { Notification.handle(app, mapOf("source" to "sluice-push", "id" to "token-2", "title" to "Hello")) },
        )
        for ((callback, start) in starts) {
            Sluice.forget()
            assertEquals(emptyList<String>(), touched(start))
            await(callback) { callback in service.callbacks }
        }
        Sluice.forget()
        val job = Robolectric.buildService(FlushJobService::class.java).create().get()
        assertEquals(emptyList<String>(), touched { assertTrue(job.onStartJob(null)) })
    }
}
