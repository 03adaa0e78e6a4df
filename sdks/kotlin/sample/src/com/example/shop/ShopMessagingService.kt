package com.example.shop

import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage
import tech.sluice.Notification

class ShopMessagingService : FirebaseMessagingService() {
    override fun onMessageReceived(message: RemoteMessage) {
        if (Notification.handle(this, message.data)) return
        // Another sender's message: show it as before.
    }

    override fun onNewToken(token: String) {
        Notification.refreshToken(this, token)
    }
}
