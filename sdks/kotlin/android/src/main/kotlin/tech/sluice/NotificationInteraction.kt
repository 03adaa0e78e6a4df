package tech.sluice

import android.content.Intent
import android.os.Bundle

/**
 * An interaction of a user with a notification.
 *
 * @property kind what happened
 * @property id the notification's tracking token
 * @property actionId position of the tapped button from "1" on; null for a tap on the body
 * @property url target of the tap; null if there is none
 * @property customData `customData` of the push message
 */
public data class NotificationInteraction(
    public val kind: Kind,
    public val id: String,
    public val actionId: String?,
    public val url: String?,
    public val customData: Map<String, String>,
) {
    /** The kinds of interactions that a listener gets. */
    public enum class Kind {
        CLICKED,
        CLOSED,
    }

    internal fun writeTo(intent: Intent): Intent {
        val data = Bundle()
        customData.forEach { (name, value) -> data.putString(name, value) }
        val all = Bundle()
        all.putString("kind", kind.name)
        all.putString("id", id)
        all.putString("actionId", actionId)
        all.putString("url", url)
        all.putBundle("customData", data)
        return intent.putExtra(EXTRA, all)
    }

    public companion object {
        private const val EXTRA = "tech.sluice.interaction"

        /** The tap that started an activity; null if something else started it. */
        @JvmStatic
        public fun from(intent: Intent?): NotificationInteraction? =
            try {
                intent?.getBundleExtra(EXTRA)?.let(::read)
            } catch (_: RuntimeException) {
                // Extras of other apps can hold classes that are not here.
                null
            }

        private fun read(all: Bundle): NotificationInteraction? {
            val id = all.getString("id") ?: return null
            val kind = Kind.values().find { it.name == all.getString("kind") } ?: return null
            val data = all.getBundle("customData") ?: Bundle()
            val customData = data.keySet().sorted().associateWith { data.getString(it).orEmpty() }
            return NotificationInteraction(kind, id, all.getString("actionId"), all.getString("url"), customData)
        }
    }
}
