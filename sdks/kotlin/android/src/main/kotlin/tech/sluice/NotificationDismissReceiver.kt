package tech.sluice

import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import java.util.concurrent.atomic.AtomicBoolean
import tech.sluice.push.Interaction
import tech.sluice.push.InteractionKind

/** The system gives a receiver about ten seconds. */
private const val MAX_WAIT_MS = 8_000L

/** Reports that a user dismissed a notification. */
public class NotificationDismissReceiver : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        val interaction = NotificationInteraction.from(intent) ?: return
        val pending: PendingResult? = goAsync()
        val isFinished = AtomicBoolean()
        val finish = { if (isFinished.compareAndSet(false, true)) pending?.finish() }
        Sluice.withInstallation(context) { installation ->
            if (installation == null) return@withInstallation finish() ?: Unit
            installation.later(MAX_WAIT_MS) { finish() }
            installation.report(Interaction(InteractionKind.CLOSED, interaction.id)) { finish() }
            installation.scheduleFlush()
            installation.publish(interaction)
        }
    }
}
