package tech.sluice

import android.app.Activity
import android.app.NotificationManager
import android.content.ActivityNotFoundException
import android.content.Context
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import tech.sluice.push.Interaction
import tech.sluice.push.InteractionKind

/** Opens the target of a tap and reports the tap. It shows nothing itself. */
public class NotificationClickActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        // After a restore the tap was reported already.
        if (savedInstanceState == null) NotificationInteraction.from(intent)?.let(::react)
        finish()
    }

    private fun react(interaction: NotificationInteraction) {
        // A tap on a button does not remove the notification, unlike one on the body.
        (getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager).cancel(interaction.id, NOTIFICATION_NUMBER)
        val isOpened = interaction.url == null
        if (isOpened || !view(interaction)) launch(interaction)
        Sluice.withInstallation(this) { it?.let { installation -> report(installation, interaction, isOpened) } }
    }

    private fun report(installation: Installation, interaction: NotificationInteraction, isOpened: Boolean) {
        val button = interaction.actionId?.toIntOrNull() ?: 0
        installation.report(Interaction(InteractionKind.CLICKED, interaction.id, button, interaction.url))
        if (isOpened) installation.report(Interaction(InteractionKind.OPENED, interaction.id))
        installation.scheduleFlush()
        installation.publish(interaction)
    }

    /**
     * Opens a link in this app if it handles the link, else in another one. Returns false if none does. Intents compare
     * schemes exactly, so a capital letter in one would find no activity.
     */
    private fun view(interaction: NotificationInteraction): Boolean {
        val target = Uri.parse(interaction.url.orEmpty().trim()).normalizeScheme()
        val intent = Intent(Intent.ACTION_VIEW, target).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK)
        return start(interaction.writeTo(Intent(intent).setPackage(packageName))) || start(intent)
    }

    private fun launch(interaction: NotificationInteraction) {
        // Without these flags a running task is only brought to the front, and its activity gets no intent.
        val flags = Intent.FLAG_ACTIVITY_CLEAR_TOP or Intent.FLAG_ACTIVITY_SINGLE_TOP
        packageManager.getLaunchIntentForPackage(packageName)?.let { start(interaction.writeTo(it.addFlags(flags))) }
    }

    private fun start(intent: Intent): Boolean =
        try {
            startActivity(intent)
            true
        } catch (_: ActivityNotFoundException) {
            false
        } catch (_: RuntimeException) {
            // Activities that are not exported, and addresses of files.
            false
        }
}
