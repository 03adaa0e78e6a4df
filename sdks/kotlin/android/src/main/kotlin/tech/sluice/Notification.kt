package tech.sluice

import android.content.Context
import android.os.Looper
import tech.sluice.push.payloadOf

/** Push messages of the service. */
public object Notification {
    /**
     * Shows a push message and reports what becomes of it. Call it in `FirebaseMessagingService.onMessageReceived` with
     * `message.data`. On a background thread it returns when the notification is shown; on the main thread at once.
     *
     * @return false if the message is not the service's; it is left alone
     */
    @JvmStatic
    public fun handle(data: Map<String, String?>?): Boolean = handle(null, data)

    /** As [handle], also in processes in which the app has made no client: it is made as in the last process. */
    @JvmStatic
    public fun handle(context: Context?, data: Map<String, String?>?): Boolean {
        val payload = payloadOf(data) ?: return false
        val installation = Sluice.installation(context) ?: return true
        val presenter = NotificationPresenter(installation)
        if (Looper.myLooper() == Looper.getMainLooper()) installation.background { presenter.present(payload) } else presenter.present(payload)
        return true
    }

    /**
     * Registers a new push token. Call it in `FirebaseMessagingService.onNewToken`.
     *
     * @return false if it was not taken
     */
    @JvmStatic
    public fun refreshToken(token: String?): Boolean = Sluice.client?.setDeviceToken(token) ?: false
}
