package tech.sluice

import android.app.NotificationChannel
import android.app.NotificationManager
import android.content.ComponentName
import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.graphics.Bitmap
import android.os.Build
import java.util.concurrent.CopyOnWriteArrayList
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Robolectric
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import tech.sluice.core.parseJson

/** A push message for each row of docs/push.md#the-payload, and an event for each row of docs/push.md#events. */
class PushTest : AppTest() {
    private val manager get() = app.getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager
    private val received = CopyOnWriteArrayList<NotificationInteraction>()

    private fun aMessage(vararg more: Pair<String, String>): Map<String, String> =
        mapOf("source" to "sluice-push", "id" to "token-1", "title" to "Hello", "body" to "World", *more)

    private fun begin(): Client = create { notifications.listener = NotificationListener { received += it } }

    private fun shown(id: String = "token-1"): android.app.Notification = shadowOf(manager).getNotification(id, NOTIFICATION_NUMBER)

    /** Hands a message over on another thread, as Firebase does. */
    private fun handle(message: Map<String, String>): Boolean {
        var isOurs = false
        Thread { isOurs = Notification.handle(message) }.also { it.start() }.join()
        return isOurs
    }

    private fun tap(button: Int = 0) {
        val notification = shown()
        val intent = if (button == 0) notification.contentIntent else notification.actions[button - 1].actionIntent
        Robolectric.buildActivity(NotificationClickActivity::class.java, shadowOf(intent).savedIntent).create().get().also { assertTrue(it.isFinishing) }
    }

    private fun propertiesOf(event: String): Map<*, *> {
        Sluice.client?.flush()
        await(event) { service.eventsNamed(event).isNotEmpty() }
        return service.eventsNamed(event).single()["properties"] as Map<*, *>
    }

    @Test
    fun `a message of another source is left alone`() {
        begin()
        assertFalse(handle(mapOf("source" to "other", "id" to "token-1", "title" to "Hello")))
        assertFalse(handle(mapOf("id" to "token-1", "title" to "Hello")))
        assertFalse(Notification.handle(null))
        assertEquals(0, shadowOf(manager).size())
        assertEquals(emptyList<Arrived>(), service.arrived)
    }

    @Test
    fun `a message is shown, and its delivery is in the queue before it is called back`() {
        begin()
        var queued = emptyList<String>()
        service.onRequest = { if (it.method == "GET") queued = batches() }
        assertTrue(handle(aMessage()))
        assertEquals("Hello", shown().extras.getString(android.app.Notification.EXTRA_TITLE))
        assertEquals("World", shown().extras.getString(android.app.Notification.EXTRA_TEXT))
        await("the callback") { service.callbacks.isNotEmpty() }
        assertEquals(listOf("delivered?token=token-1"), service.callbacks)
        assertEquals(1, queued.size)
        assertEquals(mapOf("id" to "token-1"), propertiesOf("bb_notification_delivered"))
        if (Build.VERSION.SDK_INT >= 26) assertEquals("Messages", manager.getNotificationChannel("sluice").name)
    }

    @Test
    fun `up to three buttons are shown, and a tap on one says which`() {
        begin()
        handle(aMessage("actions" to """[{"title":"A","action":"app://a"},{"title":"B","action":"app://b?x=1&y"},{"title":"C"},{"title":"D"}]"""))
        assertEquals(listOf("A", "B", "C"), shown().actions.map { it.title.toString() })
        tap(2)
        assertEquals(mapOf("id" to "token-1", "actionId" to "2", "url" to "app://b?x=1&y"), propertiesOf("bb_notification_clicked"))
        await("the callback") { "click?token=token-1&url=app%3A%2F%2Fb%3Fx%3D1%26y" in service.callbacks }
        assertEquals(0, shadowOf(manager).size())
        assertEquals(emptyList<Any>(), service.eventsNamed("bb_notification_opened"))
    }

    @Test
    fun `an image is shown, and one that cannot be had is left out`() {
        begin()
        service.files["/i.png"] = aPicture()
        handle(aMessage("image" to "${service.url}/i.png"))
        assertNotNull(shown().extras.getParcelable<Bitmap>(android.app.Notification.EXTRA_PICTURE))
        handle(aMessage("image" to "http://127.0.0.1:1/i.png"))
        assertNull(shown().extras.getParcelable<Bitmap>(android.app.Notification.EXTRA_PICTURE))
        handle(aMessage("image" to "no address"))
        assertEquals("Hello", shown().extras.getString(android.app.Notification.EXTRA_TITLE))
    }

    @Test
    @Config(sdk = [35])
    fun `a message is shown and reported before its image is loaded, and a dismissed one does not come back`() {
        begin()
        service.files["/slow.png"] = aPicture()
        for (isDismissed in listOf(false, true)) {
            val id = "token-$isDismissed"
            val isLoading = java.util.concurrent.CountDownLatch(1)
            val mayLoad = java.util.concurrent.CountDownLatch(1)
            service.onFile = {
                isLoading.countDown()
                mayLoad.await()
            }
            val handling = Thread { Notification.handle(aMessage("id" to id, "image" to "${service.url}/slow.png")) }.also { it.start() }
            isLoading.await()
            assertEquals("World", shown(id).extras.getString(android.app.Notification.EXTRA_TEXT))
            await("the callback") { "delivered?token=$id" in service.callbacks }
            if (isDismissed) manager.cancel(id, NOTIFICATION_NUMBER)
            mayLoad.countDown()
            handling.join()
            val notification: android.app.Notification? = shadowOf(manager).getNotification(id, NOTIFICATION_NUMBER)
            assertEquals(!isDismissed, notification?.extras?.getParcelable<Bitmap>(android.app.Notification.EXTRA_PICTURE) != null)
            if (notification != null) assertTrue(notification.flags and android.app.Notification.FLAG_ONLY_ALERT_ONCE != 0)
        }
    }

    @Test
    fun `a tap opens the deep link in the app, with customData, and is reported`() {
        begin()
        handle(aMessage("action" to "shop://cart", "customData" to """{"campaign":"spring","n":1}"""))
        tap()
        val started = shadowOf(app).nextStartedActivity
        assertEquals("shop://cart", started.dataString)
        assertEquals(app.packageName, started.`package`)
        assertEquals(mapOf("campaign" to "spring"), NotificationInteraction.from(started)?.customData)
        val expected = NotificationInteraction(NotificationInteraction.Kind.CLICKED, "token-1", null, "shop://cart", mapOf("campaign" to "spring"))
        assertEquals(listOf(expected), received.toList())
        assertEquals(mapOf("id" to "token-1", "url" to "shop://cart"), propertiesOf("bb_notification_clicked"))
        await("the callback") { "click?token=token-1&url=shop%3A%2F%2Fcart" in service.callbacks }
    }

    @Test
    @Config(sdk = [35])
    fun `a target with capitals in its scheme and blanks around it is opened`() {
        begin()
        handle(aMessage("action" to " SHOP://Cart "))
        tap()
        assertEquals("shop://Cart", shadowOf(app).nextStartedActivity.dataString)
    }

    @Test
    fun `the keys for the web change nothing, nor do broken actions and customData`() {
        begin()
        handle(aMessage("icon" to "https://i.test/i.png", "badge" to "https://i.test/b.png", "requireInteraction" to "true", "actions" to "{}", "customData" to "[1"))
        assertEquals("Hello", shown().extras.getString(android.app.Notification.EXTRA_TITLE))
        assertEquals(0, shown().actions.orEmpty().size)
        tap()
        assertEquals(emptyMap<String, String>(), received.single().customData)
    }

    @Test
    fun `a target that nothing takes launches the app, and is a click only`() {
        begin()
        val main = launcher()
        shadowOf(app).checkActivities(true)
        handle(aMessage("action" to "unknown://target"))
        tap()
        assertEquals(main, shadowOf(app).nextStartedActivity.component)
        assertEquals(mapOf("id" to "token-1", "url" to "unknown://target"), propertiesOf("bb_notification_clicked"))
        assertEquals(emptyList<Any>(), service.eventsNamed("bb_notification_opened"))
    }

    /** Gives the app an activity that the home screen starts. */
    private fun launcher(): ComponentName {
        val main = ComponentName(app, "com.example.shop.MainActivity")
        shadowOf(app.packageManager).addActivityIfNotPresent(main)
        shadowOf(app.packageManager).addIntentFilterForActivity(main, IntentFilter(Intent.ACTION_MAIN).apply { addCategory(Intent.CATEGORY_LAUNCHER) })
        return main
    }

    @Test
    fun `a tap without a target launches the app, which is opened`() {
        begin()
        val main = launcher()
        handle(aMessage())
        tap()
        assertEquals(main, shadowOf(app).nextStartedActivity.component)
        assertEquals(mapOf("id" to "token-1"), propertiesOf("bb_notification_opened"))
        assertEquals(mapOf("id" to "token-1"), propertiesOf("bb_notification_clicked"))
        await("the callbacks") { service.callbacks.containsAll(listOf("click?token=token-1", "open?token=token-1")) }
    }

    @Test
    fun `a tap without a target reaches the activity of an app that runs`() {
        begin()
        launcher()
        handle(aMessage("customData" to """{"coupon":"X"}"""))
        tap()
        val intent = shadowOf(app).nextStartedActivity
        // The system gives such an intent to onNewIntent of the activity at the root of the task; others only show it.
        for (flag in listOf(Intent.FLAG_ACTIVITY_CLEAR_TOP, Intent.FLAG_ACTIVITY_SINGLE_TOP, Intent.FLAG_ACTIVITY_NEW_TASK)) {
            assertTrue("flag $flag", intent.flags and flag != 0)
        }
        val running = Robolectric.buildActivity(MainActivity::class.java).setup()
        running.newIntent(intent)
        assertEquals(mapOf("coupon" to "X"), running.get().interactions.single()?.customData)
    }

    class MainActivity : android.app.Activity() {
        val interactions = ArrayList<NotificationInteraction?>()

        override fun onNewIntent(intent: Intent) {
            interactions += NotificationInteraction.from(intent)
        }
    }

    @Test
    fun `a tap is taken by an activity itself, not by a receiver that starts one`() {
        begin()
        handle(aMessage("actions" to """[{"title":"A","action":"app://a"}]"""))
        for (intent in listOf(shown().contentIntent, shown().actions[0].actionIntent)) {
            assertTrue(shadowOf(intent).isActivityIntent)
            if (Build.VERSION.SDK_INT >= 31) assertTrue(intent.isImmutable)
        }
    }

    @Test
    fun `a dismissal is reported, also in a process in which the app made no client`() {
        begin()
        handle(aMessage("customData" to """{"a":"b"}"""))
        await("the configuration") { files.resolve("configuration.json").exists() }
        val dismissal = shown().deleteIntent
        Sluice.forget()
        dismissal.send()
        await("the callback") { "close?token=token-1" in service.callbacks }
        assertEquals(mapOf("id" to "token-1"), propertiesOf("bb_notification_closed"))
    }

    @Test
    @Config(sdk = [35])
    fun `without permission the reason is reported`() {
        begin()
        shadowOf(app).denyPermissions("android.permission.POST_NOTIFICATIONS")
        handle(aMessage())
        assertEquals(mapOf("id" to "token-1", "reason" to "permission_denied"), propertiesOf("bb_notification_failed"))
        await("the callback") { service.callbacks == listOf("failed?token=token-1") }
        assertEquals(0, shadowOf(manager).size())
    }

    @Test
    @Config(sdk = [35])
    fun `with notifications disabled the reason is reported`() {
        begin()
        shadowOf(manager).setNotificationsEnabled(false)
        handle(aMessage())
        assertEquals("notifications_disabled", propertiesOf("bb_notification_failed")["reason"])
    }

    @Test
    @Config(sdk = [35])
    fun `with a blocked channel the reason is reported`() {
        begin()
        manager.createNotificationChannel(NotificationChannel("sluice", "Messages", NotificationManager.IMPORTANCE_NONE))
        handle(aMessage())
        assertEquals("channel_blocked", propertiesOf("bb_notification_failed")["reason"])
        assertEquals(emptyList<Any>(), service.eventsNamed("bb_notification_delivered"))
    }

    @Test
    fun `a push token is registered in both ways`() {
        val client = begin()
        assertTrue(client.setDeviceToken("push-token"))
        val properties = propertiesOf("bb_notification_registered")
        val expected = mapOf("key" to "push-token", "device_id" to client.deviceId, "package_name" to app.packageName, "sdk" to "ANDROID")
        assertEquals(expected, properties)
        assertTrue(Notification.refreshToken("other-token"))
        client.flush()
        await("the second") { service.eventsNamed("bb_notification_registered").size == 2 }
        assertFalse(Notification.refreshToken(" "))
    }

    @Test
    fun `without consent a message is shown, and nothing is reported`() {
        begin().consent(Consent.DENIED)
        assertTrue(handle(aMessage()))
        assertEquals("Hello", shown().extras.getString(android.app.Notification.EXTRA_TITLE))
        tap()
        assertEquals(emptyList<Arrived>(), service.arrived)
        assertEquals(emptyList<String>(), batches())
    }

    @Test
    fun `without a client a message is left alone, unless there was one in an earlier process`() {
        assertFalse(handle(aMessage()))
        assertFalse(handleWithContext())
        begin()
        await("the configuration") { files.resolve("configuration.json").exists() }
        Sluice.forget()
        assertFalse(handle(aMessage()))
        assertTrue(handleWithContext())
        assertEquals("Hello", shown().extras.getString(android.app.Notification.EXTRA_TITLE))
    }

    @Test
    fun `without a client a token is registered as in an earlier process`() {
        assertFalse(Notification.refreshToken("token"))
        begin()
        await("the configuration") { files.resolve("configuration.json").exists() }
        Sluice.forget()
        assertFalse(Notification.refreshToken("token"))
        assertTrue(Notification.refreshToken(app, "token"))
        await("the client") { Sluice.client != null }
        assertEquals("token", propertiesOf("bb_notification_registered")["key"])
    }

    private fun handleWithContext(): Boolean {
        var isOurs = false
        Thread { isOurs = Notification.handle(app, aMessage()) }.also { it.start() }.join()
        return isOurs
    }

    @Test
    @Config(sdk = [23, 26, 30, 33, 34, 35])
    fun `on every level a message has a small icon that the system can draw, and a delivery is reported`() {
        app.applicationInfo.icon = adaptiveIcon
        begin()
        assertTrue(handle(aMessage()))
        assertEquals(android.R.drawable.ic_dialog_info, iconOf(shown()))
        assertEquals(mapOf("id" to "token-1"), propertiesOf("bb_notification_delivered"))
        tap()
        assertEquals(mapOf("id" to "token-1"), propertiesOf("bb_notification_clicked"))
    }

    @Test
    fun `the small icon is that of the options, else of the manifest, else of the app`() {
        app.applicationInfo.icon = android.R.drawable.ic_menu_add
        val icons = NotificationIcons(app)
        assertEquals(android.R.drawable.ic_menu_add, icons.small(0))
        assertEquals(android.R.drawable.ic_menu_call, icons.small(android.R.drawable.ic_menu_call))
        // A number that is not a drawable, as one stored before an update of the app.
        assertEquals(android.R.drawable.ic_menu_add, icons.small(0x7f123456))
        val info = shadowOf(app.packageManager).getInternalMutablePackageInfo(app.packageName).applicationInfo!!
        info.metaData = android.os.Bundle().apply { putInt("tech.sluice.default_notification_icon", android.R.drawable.ic_menu_camera) }
        assertEquals(android.R.drawable.ic_menu_camera, icons.small(0))
    }

    @Suppress("DEPRECATION")
    private fun iconOf(notification: android.app.Notification): Int = notification.icon

    /** An adaptive drawable of the framework; 0 before level 26, which has none. */
    private val adaptiveIcon: Int
        get() = if (Build.VERSION.SDK_INT >= 26) android.R.drawable.sym_def_app_icon else 0

    @Test
    fun `on the main thread a message is shown without waiting`() {
        begin()
        assertTrue(Notification.handle(aMessage()))
        await("the notification") { shadowOf(manager).size() == 1 }
    }

    @Test
    fun `the tag is that of the contract`() {
        val file = java.io.File(System.getProperty("contract.directory"), "service-source-tag.json")
        assertEquals((parseJson(file.readText()) as Map<*, *>)["serviceSourceTag"], tech.sluice.push.SERVICE_SOURCE_TAG)
    }
}
