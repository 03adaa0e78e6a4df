package tech.sluice

import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import android.net.Uri
import tech.sluice.push.PushPayload

/** Intents that the system sends when a user acts on a notification. */
internal class NotificationIntents(private val context: Context, private val payload: PushPayload) {
    /** A tap on the body (0) or a button (from 1 on). */
    fun tap(button: Int): PendingIntent {
        val url = if (button > 0) payload.buttons[button - 1].action else payload.action
        val actionId = if (button > 0) button.toString() else null
        val intent = makeIntent(NotificationInteraction.Kind.CLICKED, actionId, url, NotificationClickActivity::class.java)
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK)
        return PendingIntent.getActivity(context, 0, intent, PendingIntent.FLAG_UPDATE_CURRENT or PendingIntent.FLAG_IMMUTABLE)
    }

    fun dismissal(): PendingIntent {
        val intent = makeIntent(NotificationInteraction.Kind.CLOSED, null, null, NotificationDismissReceiver::class.java)
        return PendingIntent.getBroadcast(context, 0, intent, PendingIntent.FLAG_UPDATE_CURRENT or PendingIntent.FLAG_IMMUTABLE)
    }

    private fun makeIntent(kind: NotificationInteraction.Kind, actionId: String?, url: String?, target: Class<*>): Intent {
        // The system does not distinguish pending intents by their extras, so their addresses differ.
        val address = Uri.Builder().scheme("sluice").authority("notification").appendPath(payload.id).appendPath(actionId ?: "0").build()
        val interaction = NotificationInteraction(kind, payload.id, actionId, url, payload.customData)
        return interaction.writeTo(Intent(context, target).setData(address))
    }
}
