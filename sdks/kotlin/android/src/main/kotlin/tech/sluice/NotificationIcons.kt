package tech.sluice

import android.content.Context
import android.content.pm.PackageManager
import android.graphics.drawable.AdaptiveIconDrawable
import android.os.Build
import android.os.Bundle

private const val ICON = "tech.sluice.default_notification_icon"
private const val COLOR = "tech.sluice.default_notification_color"

/** Small icon and accent colour of notifications: the app's options, then its manifest's, as Firebase reads its own. */
internal class NotificationIcons(private val context: Context) {
    fun small(given: Int): Int =
        listOf(given, metaData()?.getInt(ICON) ?: 0, context.applicationInfo.icon).firstOrNull(::isUsable)
            ?: android.R.drawable.ic_dialog_info

    /** The accent colour; null for the system's. */
    @Suppress("DEPRECATION")
    fun color(given: Int): Int? {
        if (given != 0) return given
        val id = metaData()?.getInt(COLOR)?.takeIf { it != 0 } ?: return null
        var color: Int? = null
        quietly { color = context.resources.getColor(id) }
        return color
    }

    /** False for an adaptive icon: Android 8.0's System UI crashes on it repeatedly, and others show a white square. */
    private fun isUsable(id: Int): Boolean {
        if (id == 0) return false
        var isUsable = false
        quietly {
            val drawable = context.resources.getDrawable(id, null)
            isUsable = drawable != null && (Build.VERSION.SDK_INT < 26 || !isAdaptive(drawable))
        }
        return isUsable
    }

    @Guarded(26)
    private fun isAdaptive(drawable: android.graphics.drawable.Drawable): Boolean = drawable is AdaptiveIconDrawable

    @Suppress("DEPRECATION")
    private fun metaData(): Bundle? {
        var found: Bundle? = null
        quietly { found = context.packageManager.getApplicationInfo(context.packageName, PackageManager.GET_META_DATA).metaData }
        return found
    }
}
