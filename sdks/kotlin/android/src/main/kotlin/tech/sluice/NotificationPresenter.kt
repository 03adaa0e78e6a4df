package tech.sluice

import android.Manifest
import android.app.NotificationChannel
import android.app.NotificationManager
import android.content.Context
import android.content.pm.PackageManager
import android.graphics.Bitmap
import android.graphics.drawable.Icon
import android.os.Build
import tech.sluice.push.Interaction
import tech.sluice.push.InteractionKind
import tech.sluice.push.PushPayload

/** Id that all notifications of the SDK share; the tag is the push message's id. */
internal const val NOTIFICATION_NUMBER = 0x51_1CE

private const val LOOKS = 20
private const val BETWEEN_LOOKS_MS = 50L
private const val SETTLING_MS = 250L

/** Shows push messages. Called off the main thread. */
internal class NotificationPresenter(private val installation: Installation) {
    private val context = installation.context
    private val options = installation.configuration.notifications
    private val icons = NotificationIcons(context)
    private val manager = context.getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager

    /**
     * Shows a message, then reports that it is displayed, or why it is not. Its image comes last: the system may end the
     * process while it is loaded.
     */
    fun present(payload: PushPayload) {
        val time = System.currentTimeMillis()
        val reason = show(payload, time)
        report(payload, reason)
        if (reason == null) payload.image?.let { addImage(payload, it, time) }
    }

    /** Without consent nothing is reported. */
    private fun report(payload: PushPayload, reason: String?) {
        // The app may have made its own client since, which knows its plugins and its consent.
        val reporting = installation.current
        if (!reporting.client.isTaking) return
        val kind = if (reason == null) InteractionKind.DELIVERED else InteractionKind.FAILED
        reporting.report(Interaction(kind, payload.id, reason = reason))
        reporting.scheduleFlush()
    }

    /** Null if the notification is displayed, else why not. */
    private fun show(payload: PushPayload, time: Long): String? =
        try {
            refusal() ?: run {
                manager.notify(payload.id, NOTIFICATION_NUMBER, notificationOf(payload, time).build())
                if (isDisplayed(payload.id)) null else "not_displayed"
            }
        } catch (error: Throwable) {
            // The system refuses icons, sizes and rates by exceptions of many classes.
            error.javaClass.simpleName
        }

    /** Shows a notification again, silently and with its image, unless the user has dismissed it since. */
    private fun addImage(payload: PushPayload, address: String, time: Long) {
        val image = loadImage(address) ?: return
        quietly {
            if (!isListed(payload.id)) return@quietly
            // The large icon is shown while the notification is small; when it is large, the picture is enough.
            val noImage: Bitmap? = null
            val picture = android.app.Notification.BigPictureStyle().bigPicture(image).bigLargeIcon(noImage).setSummaryText(payload.body)
            val builder = notificationOf(payload, time).setOnlyAlertOnce(true).setLargeIcon(image).setStyle(picture)
            manager.notify(payload.id, NOTIFICATION_NUMBER, builder.build())
        }
    }

    /** Why the system would display nothing; null if it would display the notification. */
    private fun refusal(): String? {
        if (Build.VERSION.SDK_INT >= 33 && !isPermitted()) return "permission_denied"
        if (Build.VERSION.SDK_INT >= 24 && !areEnabled()) return "notifications_disabled"
        if (Build.VERSION.SDK_INT >= 26 && isChannelBlocked()) return "channel_blocked"
        return null
    }

    @Guarded(33)
    private fun isPermitted(): Boolean =
        context.checkSelfPermission(Manifest.permission.POST_NOTIFICATIONS) == PackageManager.PERMISSION_GRANTED

    @Guarded(24)
    private fun areEnabled(): Boolean = manager.areNotificationsEnabled()

    @Guarded(26)
    private fun isChannelBlocked(): Boolean {
        if (manager.getNotificationChannel(options.channelId) == null) {
            manager.createNotificationChannel(NotificationChannel(options.channelId, options.channelName, NotificationManager.IMPORTANCE_HIGH))
        }
        val channel = manager.getNotificationChannel(options.channelId) ?: return true
        val isGroupBlocked = Build.VERSION.SDK_INT >= 28 && channel.group?.let(::isGroupBlocked) == true
        return isGroupBlocked || channel.importance == NotificationManager.IMPORTANCE_NONE
    }

    @Guarded(28)
    private fun isGroupBlocked(group: String): Boolean = manager.getNotificationChannelGroup(group)?.isBlocked == true

    /**
     * The system accepts a notification and displays it later, or silently drops it: above a rate, or above 50 an app.
     * It also lists accepted ones, so a notification counts as displayed if it is still listed a moment later.
     */
    private fun isDisplayed(id: String): Boolean {
        repeat(LOOKS) {
            if (isListed(id)) {
                Thread.sleep(SETTLING_MS)
                return isListed(id)
            }
            Thread.sleep(BETWEEN_LOOKS_MS)
        }
        return false
    }

    private fun isListed(id: String): Boolean = manager.activeNotifications.any { it.tag == id && it.id == NOTIFICATION_NUMBER }

    private fun notificationOf(payload: PushPayload, time: Long): android.app.Notification.Builder {
        val intents = NotificationIntents(context, payload)
        val builder = builder()
            .setSmallIcon(icons.small(options.smallIcon))
            .setContentTitle(payload.title)
            .setContentText(payload.body)
            .setStyle(android.app.Notification.BigTextStyle().bigText(payload.body))
            .setShowWhen(true)
            .setWhen(time)
            .setAutoCancel(true)
            .setContentIntent(intents.tap(0))
            .setDeleteIntent(intents.dismissal())
        icons.color(options.color)?.let { builder.setColor(it) }
        payload.buttons.forEachIndexed { at, button ->
            val icon: Icon? = null
            builder.addAction(android.app.Notification.Action.Builder(icon, button.title, intents.tap(at + 1)).build())
        }
        return builder
    }

    @Suppress("DEPRECATION")
    private fun builder(): android.app.Notification.Builder =
        if (Build.VERSION.SDK_INT >= 26) {
            channelBuilder()
        } else {
            android.app.Notification.Builder(context).setPriority(android.app.Notification.PRIORITY_HIGH)
        }

    @Guarded(26)
    private fun channelBuilder() = android.app.Notification.Builder(context, options.channelId)
}
